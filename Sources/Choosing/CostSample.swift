import WeakCollections

/// What one trial measured a backend to cost.
public struct CostSample: Hashable, Sendable {
  /// Where it was measured; its cores are those the measuring process could use.
  public var key: CalibrationKey
  public var point: GridPoint
  public var backend: Backend
  /// What one thread sees: seconds × threads ÷ operations.
  public var nanosecondsPerOperation: Double
  /// Within which 99 of 100 operations ended; nil if single operations were not timed.
  public var p99Nanoseconds: Double?
  /// What an entry keeps allocated; nil if nobody counted.
  public var bytesPerEntry: Double?

  public init(
    key: CalibrationKey, point: GridPoint, backend: Backend, nanosecondsPerOperation: Double,
    p99Nanoseconds: Double? = nil, bytesPerEntry: Double? = nil
  ) {
    self.key = key
    self.point = point
    self.backend = backend
    self.nanosecondsPerOperation = nanosecondsPerOperation
    self.p99Nanoseconds = p99Nanoseconds
    self.bytesPerEntry = bytesPerEntry
  }
}
