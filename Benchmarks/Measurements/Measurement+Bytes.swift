extension Measurement {
  /// What the allocator counted in the byte phase, which is not the timed one.
  ///
  /// Bytes are those of the allocator's size classes, which are at least those asked for.
  public struct Bytes: Hashable, Sendable {
    /// By all threads, Dispatch's included.
    public var allocatedPerOperation: Double?
    public var freedPerOperation: Double?
    /// After everything that can be reclaimed was.
    public var livePerEntry: Double?
    /// The highest of the samples taken; a peak between two of them is missed.
    public var peakLive: Int?

    public init(
      allocatedPerOperation: Double? = nil, freedPerOperation: Double? = nil,
      livePerEntry: Double? = nil, peakLive: Int? = nil
    ) {
      self.allocatedPerOperation = allocatedPerOperation
      self.freedPerOperation = freedPerOperation
      self.livePerEntry = livePerEntry
      self.peakLive = peakLive
    }
  }
}
