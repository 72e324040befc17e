/// Confidence intervals of medians, by drawing again from the values that were measured.
///
/// Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979. The intervals are percentiles of
/// the medians of the samples drawn. BCa would correct them by a jackknife, which fails for
/// medians (leaving one value out moves a median by one step or not at all; Miller, "The
/// Jackknife", 1974); and percentiles turn around with the ratio: those of *b*/*a* are one over
/// those of *a*/*b*, so that it does not matter which side is called the base.
public struct Bootstrap: Hashable, Sendable {
  /// How many samples are drawn.
  public var resamples: Int
  /// How often an interval is to hold what it is for, of 1.
  public var confidence: Double

  /// With fewer values, the least and the greatest hold the true median between them in less than 95 of
  /// 100 cases (1 − 2 ÷ 2ⁿ), and nothing inside them can do better.
  public static let valuesNeeded = 6

  /// - Precondition: the confidence is between 0 and 1, and at least one sample is drawn.
  public init(resamples: Int = 2000, confidence: Double = 0.95) {
    precondition(resamples > 0, "a bootstrap draws samples")
    precondition(confidence > 0 && confidence < 1, "a confidence is between 0 and 1")
    self.resamples = resamples
    self.confidence = confidence
  }

  /// Where the median of what the values were drawn from lies; `nil` for too few values.
  ///
  /// - Precondition: no value is NaN.
  /// - Complexity: O(`resamples` × *n*).
  public func interval(
    ofMedianOf values: [Double], using generator: inout some RandomNumberGenerator
  ) -> ClosedRange<Double>? {
    guard values.count >= Self.valuesNeeded else { return nil }
    let sorted = values.sorted()
    return range(of: (0..<resamples).map { _ in Self.drawnMedian(of: sorted, using: &generator) })
  }

  /// The same, of values that several processes made: processes are drawn, and of each drawn one as many of
  /// its values as it has. Values of one are alike, so that all of them together say less than as many
  /// independent ones (Davison and Hinkley, "Bootstrap Methods and their Application", 1997, 3.8).
  ///
  /// - Precondition: no value is NaN, and no process has none.
  public func interval(
    ofMedianOfProcesses processes: [[Double]], using generator: inout some RandomNumberGenerator
  ) -> ClosedRange<Double>? {
    let count = processes.reduce(0) { $0 + $1.count }
    guard processes.count > 1, count >= Self.valuesNeeded else { return nil }
    return range(
      of: (0..<resamples).compactMap { _ in
        var drawn: [Double] = []
        for _ in processes {
          let process = processes[Int.random(in: processes.indices, using: &generator)]
          for _ in process {
            drawn.append(process[Int.random(in: process.indices, using: &generator)])
          }
        }
        return Statistics.median(drawn)
      })
  }

  /// Where the ratio of the medians lies, of values drawn independently of each other; `nil` if
  /// either side has too few.
  ///
  /// - Precondition: no value is NaN or negative.
  public func interval(
    ofRatioOf numerators: [Double], to denominators: [Double],
    using generator: inout some RandomNumberGenerator
  ) -> ClosedRange<Double>? {
    guard min(numerators.count, denominators.count) >= Self.valuesNeeded else { return nil }
    let (upper, lower) = (numerators.sorted(), denominators.sorted())
    return range(
      of: (0..<resamples).map { _ in
        Ratio.of(
          Self.drawnMedian(of: upper, using: &generator),
          to: Self.drawnMedian(of: lower, using: &generator))
      })
  }

  /// Between which of the figures drawn the middle ones are, as many as the confidence says.
  ///
  /// - Precondition: there is a figure, and none is NaN.
  func range(of drawn: [Double]) -> ClosedRange<Double> {
    let tail = (1 - confidence) / 2
    guard
      let lower = Statistics.quantile(tail, of: drawn),
      let upper = Statistics.quantile(1 - tail, of: drawn)
    else { preconditionFailure("a range is of at least one figure") }
    return lower...max(lower, upper)
  }

  /// Ranks are drawn and counted rather than values sorted, which takes a step for each.
  private static func drawnMedian(
    of sorted: [Double], using generator: inout some RandomNumberGenerator
  ) -> Double {
    var counts = [Int](repeating: 0, count: sorted.count)
    for _ in counts { counts[Int.random(in: 0..<sorted.count, using: &generator)] += 1 }
    let lower = sorted[rank(of: (sorted.count - 1) / 2, in: counts)]
    let upper = sorted[rank(of: sorted.count / 2, in: counts)]
    // Without this, equal values may differ in the last digit.
    return lower == upper ? lower : (lower + upper) / 2
  }

  /// The rank that is at a place, counted from 0, of the sample drawn.
  private static func rank(of place: Int, in counts: [Int]) -> Int {
    var rank = 0
    var before = counts[0]
    while before <= place {
      rank += 1
      before += counts[rank]
    }
    return rank
  }
}
