extension Measurement {
  /// Which of several repetitions this is, and how long it was to take.
  public struct Trial: Hashable, Sendable {
    /// Below 2⁵³, so that a spreadsheet keeps every digit.
    public var seed: UInt64
    /// Counts from 1 within its run and configuration.
    public var number: Int
    public var warmupSeconds: Double?
    public var requestedSeconds: Double
    /// Which of the run's processes made it, counted from 1; `nil` in files older than the column,
    /// whose runs were one process.
    public var fork: Int?

    public init(
      seed: UInt64, number: Int, warmupSeconds: Double? = nil, requestedSeconds: Double,
      fork: Int? = nil
    ) {
      self.seed = seed
      self.number = number
      self.warmupSeconds = warmupSeconds
      self.requestedSeconds = requestedSeconds
      self.fork = fork
    }
  }
}
