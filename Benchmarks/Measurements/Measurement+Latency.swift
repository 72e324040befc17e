extension Measurement {
  /// How long single operations took, of those that were sampled.
  public struct Latency: Codable, Hashable, Sendable {
    /// How many operations were timed one by one.
    public var samples: Int?
    /// What reading the clock costs; it is part of every sample.
    public var clockNanoseconds: Double?
    public var p50Nanoseconds: Double?
    public var p90Nanoseconds: Double?
    public var p99Nanoseconds: Double?
    public var p999Nanoseconds: Double?
    public var maxNanoseconds: Double?

    public init(
      samples: Int? = nil, clockNanoseconds: Double? = nil, p50Nanoseconds: Double? = nil,
      p90Nanoseconds: Double? = nil, p99Nanoseconds: Double? = nil,
      p999Nanoseconds: Double? = nil, maxNanoseconds: Double? = nil
    ) {
      self.samples = samples
      self.clockNanoseconds = clockNanoseconds
      self.p50Nanoseconds = p50Nanoseconds
      self.p90Nanoseconds = p90Nanoseconds
      self.p99Nanoseconds = p99Nanoseconds
      self.p999Nanoseconds = p999Nanoseconds
      self.maxNanoseconds = maxNanoseconds
    }
  }
}
