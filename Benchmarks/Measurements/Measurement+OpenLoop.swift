extension Measurement {
  /// What operations took that were due at times drawn before the clock started; all `nil` in a closed
  /// loop.
  public struct OpenLoop: Codable, Hashable, Sendable {
    /// From an operation's start to its end.
    public var service: Percentiles
    /// From when it was due to its end: what somebody would have waited who asked at that time.
    public var intended: Percentiles
    /// How many operations were due and never started, as the trial had to end. Those are in the
    /// intended times with what they had waited by then, which is less than they would have.
    public var backlog: Int?

    public init(
      service: Percentiles = Percentiles(), intended: Percentiles = Percentiles(),
      backlog: Int? = nil
    ) {
      self.service = service
      self.intended = intended
      self.backlog = backlog
    }
  }

  /// Times by their rank; `nil` where too few operations lie beyond.
  public struct Percentiles: Codable, Hashable, Sendable {
    public var p50Nanoseconds: Double?
    public var p90Nanoseconds: Double?
    public var p99Nanoseconds: Double?
    public var p999Nanoseconds: Double?
    public var p9999Nanoseconds: Double?
    public var maxNanoseconds: Double?

    public init(
      p50Nanoseconds: Double? = nil, p90Nanoseconds: Double? = nil, p99Nanoseconds: Double? = nil,
      p999Nanoseconds: Double? = nil, p9999Nanoseconds: Double? = nil,
      maxNanoseconds: Double? = nil
    ) {
      self.p50Nanoseconds = p50Nanoseconds
      self.p90Nanoseconds = p90Nanoseconds
      self.p99Nanoseconds = p99Nanoseconds
      self.p999Nanoseconds = p999Nanoseconds
      self.p9999Nanoseconds = p9999Nanoseconds
      self.maxNanoseconds = maxNanoseconds
    }
  }
}
