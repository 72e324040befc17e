extension Measurement {
  /// What the workers of one role did in a trial, where workers have roles.
  ///
  /// It joins the row of the trial and is no column of it; see `RoleCSV`.
  public struct Role: Hashable, Codable, Sendable {
    public var name: String
    public var workers: Int
    /// By all workers of the role; 0 if the others kept them from finishing even one.
    public var operations: Int
    /// What one worker of the role sees; `nil` if nothing was done.
    public var nanosecondsPerOperation: Double?
    /// Of all workers of the role together.
    public var operationsPerSecond: Double
    public var latency: Latency
    /// How evenly operations fell to the workers of the role; see `JainIndex`.
    public var jainIndex: Double?
    /// How often as many the busiest worker made as the idlest; `nil` if that made none.
    public var maxToMinOperations: Double?
    /// By the threads of the role's workers in the byte phase, in an operation of the role.
    public var allocatedBytesPerOperation: Double?
    /// The same; what these threads freed, whoever had allocated it.
    public var freedBytesPerOperation: Double?
    /// All `nil` in a closed loop.
    public var openLoop = OpenLoop()

    public init(
      name: String, workers: Int, operations: Int, nanosecondsPerOperation: Double? = nil,
      operationsPerSecond: Double, latency: Latency = Latency(), jainIndex: Double? = nil,
      maxToMinOperations: Double? = nil, allocatedBytesPerOperation: Double? = nil,
      freedBytesPerOperation: Double? = nil
    ) {
      self.name = name
      self.workers = workers
      self.operations = operations
      self.nanosecondsPerOperation = nanosecondsPerOperation
      self.operationsPerSecond = operationsPerSecond
      self.latency = latency
      self.jainIndex = jainIndex
      self.maxToMinOperations = maxToMinOperations
      self.allocatedBytesPerOperation = allocatedBytesPerOperation
      self.freedBytesPerOperation = freedBytesPerOperation
    }

    /// Of an open loop: how many operations each worker starts is drawn, so that they are not even.
    public init(
      name: String, operations: [Int], seconds: Double, latency: Latency, openLoop: OpenLoop
    ) {
      self.init(name: name, operations: operations, seconds: seconds, latency: latency)
      (jainIndex, maxToMinOperations) = (nil, nil)
      self.openLoop = openLoop
    }

    /// From what each worker did in so many seconds, of which there are more than none.
    public init(name: String, operations: [Int], seconds: Double, latency: Latency) {
      precondition(!operations.isEmpty && seconds > 0, "somebody worked for some time")
      let all = operations.reduce(0, +)
      let throughput = Throughput(seconds: seconds, operations: all, threads: operations.count)
      let least = operations.min() ?? 0
      self.init(
        name: name, workers: operations.count, operations: all,
        nanosecondsPerOperation: throughput?.nanosecondsPerOperation,
        operationsPerSecond: Double(all) / seconds, latency: latency,
        jainIndex: JainIndex.of(operations.map(Double.init)),
        maxToMinOperations: least > 0 ? Double(operations.max() ?? 0) / Double(least) : nil)
    }
  }
}
