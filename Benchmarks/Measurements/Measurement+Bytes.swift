extension Measurement {
  /// What the allocator counted in the byte phase, which is not the timed one.
  ///
  /// Bytes are those of the allocator's size classes, which are at least those asked for. `nil` is not
  /// counted, or less live than before, which is somebody else's doing: no figure is negative.
  public struct Bytes: Codable, Hashable, Sendable {
    /// By all threads, Dispatch's included.
    public var allocatedPerOperation: Double?
    public var freedPerOperation: Double?
    /// After everything that can be reclaimed was.
    public var livePerEntry: Double?
    /// The most at any allocation.
    public var peakLive: Int?
    /// What waited to be reclaimed when the last operation had ended; `nil` for a collection that
    /// retires nothing.
    public var limbo: Int?

    public init(
      allocatedPerOperation: Double? = nil, freedPerOperation: Double? = nil,
      livePerEntry: Double? = nil, peakLive: Int? = nil, limbo: Int? = nil
    ) {
      self.allocatedPerOperation = allocatedPerOperation
      self.freedPerOperation = freedPerOperation
      self.livePerEntry = livePerEntry
      self.peakLive = peakLive
      self.limbo = limbo
    }
  }
}
