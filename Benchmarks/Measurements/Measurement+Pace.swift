extension Measurement {
  /// What makes a worker start its next operation.
  public enum Mode: String, CaseIterable, Codable, Sendable {
    /// The end of its last one: a pause keeps the worker from noticing how many would have waited.
    case closed
    /// The time at which it is due, whether or not the last one is done.
    case open
  }

  /// How often operations are started.
  public struct Pace: Codable, Hashable, Sendable {
    public var mode: Mode
    /// By all threads together; `nil` in a closed loop.
    public var targetOperationsPerSecond: Double?
    /// The target as a share of the capacity found; `nil` if the target was given.
    public var loadPercent: Int?

    public init(mode: Mode, targetOperationsPerSecond: Double? = nil, loadPercent: Int? = nil) {
      self.mode = mode
      self.targetOperationsPerSecond = targetOperationsPerSecond
      self.loadPercent = loadPercent
    }

    public static let closed = Pace(mode: .closed)
  }
}
