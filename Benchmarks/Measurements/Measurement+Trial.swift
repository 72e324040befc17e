extension Measurement {
  /// Which of several repetitions this is, and how long it was to take.
  public struct Trial: Hashable, Sendable {
    /// Below 2⁵³, so that a spreadsheet keeps every digit.
    public var seed: UInt64
    /// Counts from 1 within its run and configuration.
    public var number: Int
    public var warmupSeconds: Double?
    public var requestedSeconds: Double

    public init(seed: UInt64, number: Int, warmupSeconds: Double? = nil, requestedSeconds: Double) {
      self.seed = seed
      self.number = number
      self.warmupSeconds = warmupSeconds
      self.requestedSeconds = requestedSeconds
    }
  }
}
