import WeakCollections

/// What one operation was measured to cost.
public struct CostSample: Hashable, Sendable {
  /// Where it was measured; its cores are those the measuring process could use.
  public var key: CalibrationKey
  public var point: GridPoint
  public var backend: Backend
  /// What one thread sees: seconds × threads ÷ operations.
  public var nanosecondsPerOperation: Double

  public init(
    key: CalibrationKey, point: GridPoint, backend: Backend, nanosecondsPerOperation: Double
  ) {
    self.key = key
    self.point = point
    self.backend = backend
    self.nanosecondsPerOperation = nanosecondsPerOperation
  }
}
