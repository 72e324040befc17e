import WeakCollections

/// What was measured: a workload on a collection, at a number of threads and a size.
public struct GridPoint: Hashable, Sendable {
  public var collection: CollectionKind
  /// The workload's name, as in "read-heavy".
  public var workload: String
  public var shares: OperationShares
  public var threads: Int
  public var size: Int

  public init(
    collection: CollectionKind, workload: String, shares: OperationShares, threads: Int, size: Int
  ) {
    self.collection = collection
    self.workload = workload
    self.shares = shares
    self.threads = threads
    self.size = size
  }
}

extension GridPoint: CustomStringConvertible {
  public var description: String {
    "\(workload), \(threads) thread\(threads == 1 ? "" : "s"), size \(size)"
  }
}

extension GridPoint: Comparable {
  public static func < (one: GridPoint, other: GridPoint) -> Bool {
    let order = (one.collection.rawValue, one.workload, one.threads, one.size)
    let otherOrder = (other.collection.rawValue, other.workload, other.threads, other.size)
    if order != otherOrder { return order < otherOrder }
    return one.shares.all.lexicographicallyPrecedes(other.shares.all)
  }
}
