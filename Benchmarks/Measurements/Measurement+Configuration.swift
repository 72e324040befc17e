extension Measurement {
  /// What was measured: all that repeated trials of it have in common, wherever they run.
  public struct Configuration: Hashable, Sendable {
    /// The abstract type, such as `weak-array`.
    public var collection: String
    /// A backend in kebab-case; baselines and peers have names of their own.
    public var backend: String
    public var workload: String
    public var shares: Shares
    /// `nil` where the collection has no keys; so for `keyDistribution`.
    public var keyType: String?
    public var valueType: String?
    public var keyDistribution: String?
    /// What runs the workers, such as `threads`.
    public var driver: String
    public var threads: Int
    /// How many entries were asked for.
    public var size: Int
    public var pace: Pace
    /// Which workers do what, such as `reader=3 writer=1`; `nil` where all do the same.
    public var roles: String?

    public init(
      collection: String, backend: String, workload: String, shares: Shares,
      keyType: String? = nil, valueType: String? = nil, keyDistribution: String? = nil,
      driver: String, threads: Int, size: Int, pace: Pace = .closed,
      roles: String? = nil
    ) {
      self.collection = collection
      self.backend = backend
      self.workload = workload
      self.shares = shares
      self.keyType = keyType
      self.valueType = valueType
      self.keyDistribution = keyDistribution
      self.driver = driver
      self.threads = threads
      self.size = size
      self.pace = pace
      self.roles = roles
    }
  }

  /// The operation mix, in percent.
  public struct Shares: Hashable, Sendable {
    public var read: Int
    public var insert: Int
    public var update: Int
    public var remove: Int
    public var iterate: Int

    public init(read: Int, insert: Int, update: Int, remove: Int, iterate: Int) {
      self.read = read
      self.insert = insert
      self.update = update
      self.remove = remove
      self.iterate = iterate
    }
  }
}
