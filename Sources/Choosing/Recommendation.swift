import WeakCollections

/// Which backend to use, and why.
public struct Recommendation: Hashable, Sendable {
  public var backend: Backend
  /// Whether it rests on measurements made where the program runs.
  public var isCalibrated: Bool
  /// What an operation was measured to cost; nil where nothing was.
  public var predictedNanosecondsPerOperation: Double?
  /// What it rests on, in one sentence.
  public var reason: String

  public init(
    backend: Backend, isCalibrated: Bool, predictedNanosecondsPerOperation: Double? = nil,
    reason: String
  ) {
    self.backend = backend
    self.isCalibrated = isCalibrated
    self.predictedNanosecondsPerOperation = predictedNanosecondsPerOperation
    self.reason = reason
  }
}
