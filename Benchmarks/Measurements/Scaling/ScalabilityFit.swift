/// The universal scalability law as one contestant's trials at several numbers of threads show it.
public struct ScalabilityFit: Hashable, Sendable {
  public let law: UniversalScalability
  /// `nil` if a number of threads has fewer than three trials.
  public let intervals: UniversalScalability.Intervals?
  /// *R²*: the part of the throughputs' variance that the law explains; `nil` if they do not vary. A law
  /// that explains less than their mean does has a negative one.
  public let determination: Double?

  /// The law has three terms, and goes through any three points.
  public static let threadCountsNeeded = 4

  /// Outside of these no machine is, and squares would leave the numbers that there are.
  private static let throughputs = 1e-100...1e100

  /// `nil` for fewer numbers of threads than are needed, and where a throughput is nothing or none.
  ///
  /// - Complexity: O(`bootstrap.resamples` × *n*).
  public init?(
    of points: [UniversalScalability.Point], _ bootstrap: Bootstrap = Bootstrap(),
    using generator: inout some RandomNumberGenerator
  ) {
    guard Set(points.map(\.threads)).count >= Self.threadCountsNeeded,
      points.allSatisfy({ Self.throughputs.contains($0.throughput) }),
      let law = UniversalScalability(of: points)
    else { return nil }
    self.law = law
    determination = Self.determination(of: law, points)
    intervals = UniversalScalability.intervals(of: points, bootstrap, using: &generator)
  }

  private static func determination(
    of law: UniversalScalability, _ points: [UniversalScalability.Point]
  ) -> Double? {
    let mean = points.reduce(0) { $0 + $1.throughput } / Double(points.count)
    let total = points.reduce(0) { $0 + ($1.throughput - mean) * ($1.throughput - mean) }
    let rest = points.reduce(0) { sum, point in
      let error = point.throughput - (law.throughput(ofThreads: point.threads) ?? 0)
      return sum + error * error
    }
    return total > 0 ? 1 - rest / total : nil
  }
}
