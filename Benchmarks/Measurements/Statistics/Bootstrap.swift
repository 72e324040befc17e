/// The bootstrap: confidence intervals of medians, by resampling the measured values.
///
/// Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979. The intervals are percentiles
/// of the samples' medians. The BCa method would correct them with a jackknife, but the jackknife
/// fails for medians: leaving one value out moves a median by one step or not at all (Miller, "The
/// Jackknife", 1974).
public struct Bootstrap: Hashable, Sendable {
  /// The number of samples to draw.
  public var resamples: Int
  /// The probability, between 0 and 1, with which an interval contains the true value.
  public var confidence: Double

  /// The number of values that an interval needs.
  ///
  /// The true median of *n* values lies between their minimum and maximum with probability 1 − 2 ÷
  /// 2ⁿ. For fewer than six values, this probability is less than 95 %, and no interval between the
  /// two can have a higher one.
  public static let valuesNeeded = 6

  /// Creates a bootstrap.
  ///
  /// - Parameters:
  ///   - resamples: The number of samples to draw; traps unless it is positive.
  ///   - confidence: The confidence of the intervals; traps unless it is between 0 and 1.
  public init(resamples: Int = 2000, confidence: Double = 0.95) {
    guard resamples > 0 else { fatalError("resamples must be positive, got \(resamples)") }
    guard confidence > 0 && confidence < 1 else {
      fatalError("confidence must be between 0 and 1, got \(confidence)")
    }
    self.resamples = resamples
    self.confidence = confidence
  }

  /// Returns the confidence interval of the median of the population that `values` come from.
  ///
  /// Traps if a value is NaN.
  ///
  /// - Returns: `nil` for fewer than `valuesNeeded` values.
  /// - Complexity: O(`resamples` × *n*).
  public func interval(
    ofMedianOf values: [Double], using generator: inout some RandomNumberGenerator
  ) -> ClosedRange<Double>? {
    guard values.count >= Self.valuesNeeded else { return nil }
    let sorted = values.sorted()
    return range(of: (0..<resamples).map { _ in Self.drawnMedian(of: sorted, using: &generator) })
  }

  /// Returns the confidence interval of the median of values that several sessions measured.
  ///
  /// A sample draws as many sessions as there are and, from each drawn session, as many values as
  /// it has, both with replacement. The values of one session are correlated, so all values
  /// together are worth less than the same number of independent ones (Davison and Hinkley,
  /// "Bootstrap Methods and their Application", 1997, 3.8).
  ///
  /// Traps if a value is NaN or a session has no values.
  ///
  /// - Returns: `nil` for one session, or fewer than `valuesNeeded` values.
  /// - Complexity: O(`resamples` × *n* log *n*).
  public func interval(
    ofMedianOfSessions sessions: [[Double]], using generator: inout some RandomNumberGenerator
  ) -> ClosedRange<Double>? {
    let count = sessions.reduce(0) { $0 + $1.count }
    guard sessions.count > 1, count >= Self.valuesNeeded else { return nil }
    return range(
      of: (0..<resamples).compactMap { _ in
        var drawn: [Double] = []
        for _ in sessions {
          let session = sessions[Int.random(in: sessions.indices, using: &generator)]
          for _ in session {
            drawn.append(session[Int.random(in: session.indices, using: &generator)])
          }
        }
        return Statistics.median(drawn)
      })
  }

  /// Returns the percentile interval of the resampled figures: the range of the middle ones, whose
  /// fraction is `confidence`.
  ///
  /// - Parameter drawn: At least one figure, and none of them NaN; traps otherwise.
  func range(of drawn: [Double]) -> ClosedRange<Double> {
    let tail = (1 - confidence) / 2
    guard
      let lower = Statistics.quantile(tail, of: drawn),
      let upper = Statistics.quantile(1 - tail, of: drawn)
    else { fatalError("the list of figures is empty; draw at least one sample") }
    return lower...max(lower, upper)
  }

  /// Draws a sample of the sorted values and returns its median.
  ///
  /// Counting how often each rank is drawn takes linear time; sorting the sample would take longer.
  private static func drawnMedian(
    of sorted: [Double], using generator: inout some RandomNumberGenerator
  ) -> Double {
    var counts = [Int](repeating: 0, count: sorted.count)
    for _ in counts { counts[Int.random(in: 0..<sorted.count, using: &generator)] += 1 }
    let lower = sorted[rank(of: (sorted.count - 1) / 2, in: counts)]
    let upper = sorted[rank(of: sorted.count / 2, in: counts)]
    // The mean of two equal values may round to another value.
    return lower == upper ? lower : (lower + upper) / 2
  }

  /// Returns the rank of the element at position `place` of the sorted sample.
  ///
  /// - Parameters:
  ///   - place: A position in the sample, from 0.
  ///   - counts: How often the sample contains each rank.
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
