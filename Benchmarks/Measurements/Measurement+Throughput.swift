extension Measurement {
  /// How much was done in the timed part.
  public struct Throughput: Codable, Hashable, Sendable {
    public var seconds: Double
    /// By all threads together.
    public var operations: Int
    /// What one thread sees.
    public var nanosecondsPerOperation: Double
    /// Of all threads together.
    public var operationsPerSecond: Double

    public init(
      seconds: Double, operations: Int, nanosecondsPerOperation: Double,
      operationsPerSecond: Double
    ) {
      self.seconds = seconds
      self.operations = operations
      self.nanosecondsPerOperation = nanosecondsPerOperation
      self.operationsPerSecond = operationsPerSecond
    }

    /// Derives both rates; `nil` if nothing was done or no time passed, as there is no rate then.
    public init?(seconds: Double, operations: Int, threads: Int) {
      guard seconds > 0, operations > 0, threads > 0 else { return nil }
      self.init(
        seconds: seconds, operations: operations,
        nanosecondsPerOperation: seconds * 1e9 * Double(threads) / Double(operations),
        operationsPerSecond: Double(operations) / seconds)
    }
  }
}
