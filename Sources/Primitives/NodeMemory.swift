import CShims

/// Manually managed, aligned memory for the nodes of concurrent structures.
///
/// A node can be freed exactly when no reader can see it any more. A class instance would be freed
/// by its last release, which comes at a different time.
///
/// A managed scheduler allocates nodes itself and detects uses after free.
public enum NodeMemory {
  /// The distance in bytes at which two variables cause no false sharing: processors fetch cache
  /// lines in pairs.
  public static var destructiveInterference: Int { 128 }

  /// Returns uninitialized memory for one value of type `node`.
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
    let lines = (byteCount + destructiveInterference - 1) / destructiveInterference
    return allocate(
      byteCount: lines * destructiveInterference, alignment: destructiveInterference, file: file,
      function: function, line: line)
  }

  /// Returns `byteCount` bytes of uninitialized memory, for a node whose size is known only at run
  /// time.
  @inline(__always)
  public static func allocate(
    byteCount: Int, alignment: Int, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) -> UnsafeMutableRawPointer {
    ManagedScheduler.ask {
      $0.pointee.allocate(byteCount, alignment, cws_site(file, function, line))!
    } ?? .allocate(byteCount: byteCount, alignment: alignment)
  }

  /// Returns `byteCount` zero bytes that begin on a cache line; `deallocateZeroed` frees them.
  ///
  /// The system clears each page of a large block when the page is first used. Traps if memory is
  /// exhausted.
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
      fatalError("could not allocate \(byteCount) bytes: memory is exhausted")
    }
    return node
  }

  /// Frees memory that `allocateZeroed` returned. The caller has deinitialized its contents.
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

  /// Frees memory that another `allocate` function returned. The caller has deinitialized its
  /// contents.
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

/// Padding between two fields that prevents false sharing: writes to one field do not slow down
/// reads of the other.
public struct CacheLinePadding: Sendable {
  // Two lines of 64 bytes: see `NodeMemory.destructiveInterference`.
  private let words:
    (
      UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
      UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    ) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

  /// Creates padding.
  public init() {}
}
