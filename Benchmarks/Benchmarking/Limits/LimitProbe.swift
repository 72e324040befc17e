import Measurements
import Workloads

/// Something that is measured for the limits in one go.
public struct LimitProbe: Sendable {
  /// The limits that it is measured for.
  public let limits: [String]
  /// What each trial gives a value, unless it cannot be measured here.
  public let figures: [Figure]
  public let estimatedSeconds: Double
  private let body: @Sendable (Seed) async throws -> [Figure: Double]

  public init(
    for limits: [String], figures: [Figure], estimatedSeconds: Double,
    _ body: @escaping @Sendable (Seed) async throws -> [Figure: Double]
  ) {
    self.limits = limits
    self.figures = figures
    self.estimatedSeconds = estimatedSeconds
    self.body = body
  }

  /// One trial. The same seed gives the same keys and operations.
  ///
  /// - Throws: when what is measured does not do what it promises.
  public func measure(_ seed: Seed) async throws -> [Figure: Double] {
    try await body(seed)
  }

  /// What a progress bar says.
  public var label: String {
    figures.first.map { "\($0.table) \($0.row) \($0.column)" } ?? ""
  }
}

/// How long what is measured for the limits is measured.
public struct LimitTiming: Sendable {
  /// Of a timed part.
  public var seconds: Double
  public var warmupSeconds: Double

  public init(seconds: Double, warmupSeconds: Double) {
    self.seconds = seconds
    self.warmupSeconds = warmupSeconds
  }

  package var both: Double { seconds + warmupSeconds }

  /// For each of several parts of one trial.
  var half: LimitTiming { LimitTiming(seconds: seconds / 2, warmupSeconds: warmupSeconds / 2) }
}
