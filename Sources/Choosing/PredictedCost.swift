import WeakCollections

/// What a backend is predicted to cost, each with the range of its median; nil is not measured.
public struct PredictedCost: Hashable, Sendable, Codable {
  public var backend: Backend
  public var nanosecondsPerOperation: CostRange
  public var p99Nanoseconds: CostRange?
  public var bytesPerEntry: CostRange?

  public init(
    backend: Backend, nanosecondsPerOperation: CostRange, p99Nanoseconds: CostRange? = nil,
    bytesPerEntry: CostRange? = nil
  ) {
    self.backend = backend
    self.nanosecondsPerOperation = nanosecondsPerOperation
    self.p99Nanoseconds = p99Nanoseconds
    self.bytesPerEntry = bytesPerEntry
  }
}
