/// Memory for the nodes of concurrent structures: raw, aligned, and given back by hand.
///
/// Nodes do not come from classes because a class instance can be given back only by its last release,
/// whereas a node is given back when no reader can see it any more.
public enum NodeMemory {
  /// Cache lines are fetched in pairs on the machines we know, so two of them keep neighbours apart.
  public static var destructiveInterference: Int { 128 }

  /// Uninitialized memory for one `node`.
  public static func allocate<Node: ~Copyable>(_ node: Node.Type) -> UnsafeMutablePointer<Node> {
    .allocate(capacity: 1)
  }

  /// Uninitialized memory of `byteCount` bytes, alone on its cache lines.
  public static func allocateApart(byteCount: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: byteCount, alignment: destructiveInterference)
  }

  /// Uninitialized memory of `byteCount` bytes for a node whose size is known only at run time.
  public static func allocate(byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: byteCount, alignment: alignment)
  }

  /// Gives back what one of the `allocate` functions returned; what was in it must be deinitialized.
  public static func deallocate(_ node: UnsafeMutableRawPointer) {
    node.deallocate()
  }
}
