import CShims

/// Memory for the nodes of concurrent structures: raw, aligned, and freed by hand.
///
/// A node is freed when no reader can see it any more. An instance of a class would be freed by its last
/// release, which comes at another time.
///
/// A managed scheduler has memory of its own for nodes, in which it detects a use after free.
public enum NodeMemory {
  /// The distance at which two variables do not disturb each other: processors fetch cache lines in
  /// pairs.
  public static var destructiveInterference: Int { 128 }

  /// Returns uninitialized memory for one `node`.
  @inline(__always)
  public static func allocate<Node: ~Copyable>(
    _ node: Node.Type, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) -> UnsafeMutablePointer<Node> {
    ManagedScheduler.ask {
      $0.pointee.allocate(
        MemoryLayout<Node>.size, MemoryLayout<Node>.alignment, cws_site(file, function, line))!
        .bindMemory(to: Node.self, capacity: 1)
    } ?? .allocate(capacity: 1)
  }

  /// Returns `byteCount` bytes of uninitialized memory that share no cache line with other data.
  @inline(__always)
  public static func allocateApart(
    byteCount: Int, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) -> UnsafeMutableRawPointer {
    allocate(
      byteCount: byteCount, alignment: destructiveInterference, file: file, function: function,
      line: line)
  }

  /// Returns `byteCount` bytes of uninitialized memory, for a node whose size is known only at run time.
  @inline(__always)
  public static func allocate(
    byteCount: Int, alignment: Int, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) -> UnsafeMutableRawPointer {
    ManagedScheduler.ask {
      $0.pointee.allocate(byteCount, alignment, cws_site(file, function, line))!
    } ?? .allocate(byteCount: byteCount, alignment: alignment)
  }

  /// Returns `byteCount` zeroed bytes that begin on a cache line, for `deallocateZeroed`.
  ///
  /// The system clears each page of a large block when it is first used.
  public static func allocateZeroed(
    byteCount: Int, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) -> UnsafeMutableRawPointer {
    if ManagedScheduler.isCompiledIn {
      let node = allocate(
        byteCount: byteCount, alignment: 64, file: file, function: function, line: line)
      node.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
      return node
    }
    guard let node = cws_allocate_zeroed(byteCount) else {
      preconditionFailure("memory is exhausted")
    }
    return node
  }

  /// Frees memory of `allocateZeroed`; what was in it must be deinitialized.
  public static func deallocateZeroed(
    _ node: UnsafeMutableRawPointer, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) {
    if ManagedScheduler.isCompiledIn {
      deallocate(node, file: file, function: function, line: line)
    } else {
      cws_free_zeroed(node)
    }
  }

  /// Frees memory of one of the other `allocate` functions; what was in it must be deinitialized.
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

/// Unused bytes between two fields, so that a thread that writes one field does not slow down threads that
/// read the other.
public struct CacheLinePadding: Sendable {
  // Two lines of 64 bytes: see `NodeMemory.destructiveInterference`.
  private let words:
    (
      UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
      UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    ) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

  public init() {}
}
