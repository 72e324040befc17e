import CShims

/// Memory for the nodes of concurrent structures: raw, aligned, and given back by hand.
///
/// Nodes do not come from classes because a class instance can be given back only by its last release,
/// whereas a node is given back when no reader can see it any more.
///
/// A managed scheduler has memory of its own for nodes, in which it sees what is used too late.
public enum NodeMemory {
  /// Cache lines are fetched in pairs on the machines we know, so two of them keep neighbours apart.
  public static var destructiveInterference: Int { 128 }

  #if !Interleaving
    /// Uninitialized memory for one `node`.
    public static func allocate<Node: ~Copyable>(_ node: Node.Type) -> UnsafeMutablePointer<Node> {
      .allocate(capacity: 1)
    }
  #else
    /// Uninitialized memory for one `node`.
    public static func allocate<Node: ~Copyable>(
      _ node: Node.Type, file: StaticString = #fileID, function: StaticString = #function,
      line: UInt32 = #line
    ) -> UnsafeMutablePointer<Node> {
      allocate(
        byteCount: MemoryLayout<Node>.size, alignment: MemoryLayout<Node>.alignment, file: file,
        function: function, line: line
      ).bindMemory(to: Node.self, capacity: 1)
    }
  #endif

  /// Uninitialized memory of `byteCount` bytes, alone on its cache lines.
  @inline(__always)
  public static func allocateApart(
    byteCount: Int, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) -> UnsafeMutableRawPointer {
    allocate(
      byteCount: byteCount, alignment: destructiveInterference, file: file, function: function,
      line: line)
  }

  /// Uninitialized memory of `byteCount` bytes for a node whose size is known only at run time.
  @inline(__always)
  public static func allocate(
    byteCount: Int, alignment: Int, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) -> UnsafeMutableRawPointer {
    ManagedScheduler.ask {
      $0.pointee.allocate(byteCount, alignment, cws_site(file, function, line))!
    } ?? .allocate(byteCount: byteCount, alignment: alignment)
  }

  /// `byteCount` bytes of zeros, beginning on a cache line; given back by `deallocateZeroed`.
  ///
  /// Much memory comes from the system as pages that are zeros already, each when it is first used.
  public static func allocateZeroed(
    byteCount: Int, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) -> UnsafeMutableRawPointer {
    #if Interleaving
      let node = allocate(
        byteCount: byteCount, alignment: 64, file: file, function: function, line: line)
      node.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
      return node
    #else
      guard let node = cws_allocate_zeroed(byteCount) else {
        preconditionFailure("memory is exhausted")
      }
      return node
    #endif
  }

  public static func deallocateZeroed(
    _ node: UnsafeMutableRawPointer, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) {
    #if Interleaving
      deallocate(node, file: file, function: function, line: line)
    #else
      cws_free_zeroed(node)
    #endif
  }

  /// Gives back what one of the other `allocate` functions returned; what was in it must be
  /// deinitialized.
  @inline(__always)
  public static func deallocate(
    _ node: UnsafeMutableRawPointer, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) {
    ManagedScheduler.ask {
      $0.pointee.deallocate(node, cws_site(file, function, line))
    } ?? node.deallocate()
  }
}

/// Plain accesses to what threads share, which some atomic must order: a managed scheduler checks that
/// one does, and that the node still lives.
extension UnsafeMutablePointer where Pointee: ~Copyable {
  /// This pointer; the caller reads next what is at `offset` behind it, a variable of its own.
  @inline(__always)
  public func reading(
    at offset: Int = 0, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) -> Self {
    _ = ManagedScheduler.ask {
      $0.pointee.access(
        UnsafeRawPointer(self) + offset, false, cws_site(file, function, line))
    }
    return self
  }

  /// This pointer; the caller writes next what is at `offset` behind it, a variable of its own.
  @inline(__always)
  public func writing(
    at offset: Int = 0, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) -> Self {
    _ = ManagedScheduler.ask {
      $0.pointee.access(
        UnsafeRawPointer(self) + offset, true, cws_site(file, function, line))
    }
    return self
  }
}

/// Unused bytes between two fields, so that threads which write the one do not disturb those which read
/// the other.
public struct CacheLinePadding: Sendable {
  // Two lines of 64 bytes: they are fetched in pairs.
  private let words:
    (
      UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
      UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    ) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

  public init() {}
}
