import WeakCollections

/// What a program does with a collection, as far as it bears on the choice of a backend.
public struct WorkloadProfile: Hashable, Sendable {
  public var collection: CollectionKind
  /// The measured workload that this is; nil to find the nearest by its shares.
  public var workload: String?
  public var shares: OperationShares
  /// How many threads use the collection at once.
  public var threads: Int
  /// How many cores the process may use.
  public var cores: Int
  /// How many entries the collection holds.
  public var size: Int
  /// Whether the code has no `await`, so that the actor cannot be chosen.
  public var synchronousOnly: Bool

  public init(
    collection: CollectionKind, workload: String? = nil, shares: OperationShares, threads: Int,
    cores: Int, size: Int, synchronousOnly: Bool
  ) {
    precondition(
      threads > 0 && cores > 0 && size > 0,
      "expected a positive number of threads, cores and entries")
    self.collection = collection
    self.workload = workload
    self.shares = shares
    self.threads = threads
    self.cores = cores
    self.size = size
    self.synchronousOnly = synchronousOnly
  }
}
