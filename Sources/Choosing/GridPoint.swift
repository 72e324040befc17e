import WeakCollections

/// What was measured: a workload on a collection, at a number of threads and a size.
public struct GridPoint: Hashable, Sendable, Codable {
  public var collection: CollectionKind
  /// The workload's name, as in "read-heavy".
  public var workload: String
  public var shares: OperationShares
  /// Whether the workload is nothing but its shares. Else its costs answer only for its name: what else it
  /// does, such as letting objects die, costs too.
  public var isPureMix: Bool
  public var threads: Int
  public var size: Int

  public init(
    collection: CollectionKind, workload: String, shares: OperationShares, isPureMix: Bool = true,
    threads: Int, size: Int
  ) {
    self.collection = collection
    self.workload = workload
    self.shares = shares
    self.isPureMix = isPureMix
    self.threads = threads
    self.size = size
  }

  /// Whether both are points of one grid, of threads and sizes.
  func isOfSameWorkload(as other: GridPoint) -> Bool {
    collection == other.collection && workload == other.workload && shares == other.shares
      && isPureMix == other.isPureMix
  }
}

extension GridPoint: CustomStringConvertible {
  public var description: String {
    "\(workload), \(threads) thread\(threads == 1 ? "" : "s"), size \(size)"
  }
}

extension GridPoint: Comparable {
  public static func < (one: GridPoint, other: GridPoint) -> Bool {
    let names = (one.collection.rawValue, one.workload)
    let otherNames = (other.collection.rawValue, other.workload)
    if names != otherNames { return names < otherNames }
    if one.shares != other.shares {
      return one.shares.all.lexicographicallyPrecedes(other.shares.all)
    }
    if one.isPureMix != other.isPureMix { return one.isPureMix }
    return (one.threads, one.size) < (other.threads, other.size)
  }
}
