import WeakCollections

/// What a program does with a collection, as far as it bears on the choice of a backend.
public struct WorkloadProfile: Hashable, Sendable {
  public var collection: CollectionKind
  /// The measured workload that this is; nil for one that is nothing but its shares.
  public var workload: String?
  public var shares: OperationShares
  /// How many threads use the collection at once.
  public var threads: Int
  /// How many cores the process may use.
  public var cores: Int
  /// How many entries the collection holds.
  public var size: Int
  /// Which part of the entries is alive, from 0 to 1. A measured workload has its own, and this says nothing.
  public var liveFraction: Double
  /// Which part of the operations lets an entry die, from 0 to 1. A measured workload has its own here too.
  public var churn: Double
  /// How keys are drawn, as in "uniform".
  public var keyDistribution: String
  /// How much bytes count against time, from 0, not at all, to 1, alone: a backend that needs half the bytes
  /// may be twice as slow at 0.5.
  public var memoryWeight: Double
  /// Whether the code has no `await`, so that the actor cannot be chosen.
  public var synchronousOnly: Bool

  /// How keys are drawn unless a profile says otherwise.
  public static let uniformKeys = "uniform"

  /// Traps unless the numbers are positive, and the parts from 0 to 1.
  public init(
    collection: CollectionKind, workload: String? = nil, shares: OperationShares, threads: Int,
    cores: Int, size: Int, liveFraction: Double = 1, churn: Double = 0,
    keyDistribution: String = WorkloadProfile.uniformKeys, memoryWeight: Double = 0,
    synchronousOnly: Bool
  ) {
    precondition(
      threads > 0 && cores > 0 && size > 0,
      "expected a positive number of threads, cores and entries")
    precondition(
      (0...1).contains(liveFraction) && (0...1).contains(churn) && (0...1).contains(memoryWeight),
      "expected a live fraction, churn and memory weight from 0 to 1")
    self.collection = collection
    self.workload = workload
    self.shares = shares
    self.threads = threads
    self.cores = cores
    self.size = size
    self.liveFraction = liveFraction
    self.churn = churn
    self.keyDistribution = keyDistribution
    self.memoryWeight = memoryWeight
    self.synchronousOnly = synchronousOnly
  }
}
