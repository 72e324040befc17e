/// The result of comparing two series in one metric. For every metric, *faster* means better and
/// *slower* means worse.
public enum Verdict: String, CaseIterable, Sendable {
  /// The first series is better: the whole interval of the ratio is below 1, or above 1 for a
  /// metric of which larger values are better.
  case faster
  /// The first series is worse.
  case slower
  /// The two are equivalent: the whole interval is within the margin around 1, even if it excludes
  /// 1.
  case equivalent
  /// The values are inconclusive.
  case undecided

  /// The verdict on the same ratio for a metric of which larger values are better.
  var reversed: Verdict {
    switch self {
    case .faster: .slower
    case .slower: .faster
    case .equivalent, .undecided: self
    }
  }
}

/// The rule that turns an estimate into a verdict. Every output that has rows uses it.
///
/// Equivalence is the two one-sided tests of Schuirmann, "A comparison of the two one-sided tests
/// procedure", 1987. With a 95 % interval over a fixed number of sessions, *equivalent*, *faster*
/// and *slower* are each false with a probability of at most 2.5 %. See `StoppingRule` for runs
/// that stop early. Verdicts are not corrected for the number of comparisons: among 40 pairs of
/// equal series, one is called faster and one slower on average. A correction would make a verdict
/// depend on the rows beside it, so that two tables of the same rows could disagree.
public struct VerdictRule: Hashable, Sendable {
  /// The largest difference that counts as equivalent: 0.05 is 5 %.
  public var margin: Double
  /// The probability with which an interval contains the true ratio.
  public var confidence: Double
  /// A difference that the user attributes to noise, in addition to the interval; 0 for none.
  public var assumedNoise: Double

  /// Creates a rule.
  ///
  /// Traps if `margin` or `assumedNoise` is negative or infinite.
  public init(margin: Double = 0.05, confidence: Double = 0.95, assumedNoise: Double = 0) {
    for fraction in [margin, assumedNoise] {
      guard fraction >= 0 && fraction.isFinite else {
        fatalError("a margin must be finite and at least 0, got \(fraction)")
      }
    }
    self.margin = margin
    self.confidence = confidence
    self.assumedNoise = assumedNoise
  }

  /// Compares two series.
  ///
  /// - Parameters:
  ///   - numerator: The series that the verdict is about.
  ///   - denominator: The other series.
  ///   - isSmallerBetter: Whether smaller values of the metric are better, as for a time but not
  ///     for a rate.
  public func judgment(
    on numerator: SessionValues, over denominator: SessionValues, isSmallerBetter: Bool = true
  ) -> Judgment {
    let estimate = RatioEstimate(of: numerator, to: denominator, confidence: confidence)
    let (figure, other) = (numerator.figure, denominator.figure)
    let (isFarAbove, isFarBelow) = (figure > 2 * other, other > 2 * figure)
    var verdict = verdict(on: estimate)
    // The figures of other sessions than the shared ones can contradict the ratio.
    switch verdict {
    case .equivalent where isFarAbove || isFarBelow, .faster where isFarAbove,
      .slower where isFarBelow:
      verdict = .undecided
    default: break
    }
    return Judgment(
      estimate: estimate, verdict: isSmallerBetter ? verdict : verdict.reversed,
      isOutOfRange: verdict == .undecided && (isFarAbove || isFarBelow))
  }

  /// Returns whether two verdicts on the same pair cannot both be true.
  ///
  /// *Equivalent* and *slower* are compatible: a series that takes 2 % more time is both. They
  /// contradict each other only if the interval of *slower* lies entirely beyond the margin.
  public func isContradiction(_ one: Judgment, _ other: Judgment) -> Bool {
    switch (one.verdict, other.verdict) {
    case (.faster, .slower), (.slower, .faster): true
    case (.equivalent, .faster), (.equivalent, .slower): isBeyondMargin(other.estimate)
    case (.faster, .equivalent), (.slower, .equivalent): isBeyondMargin(one.estimate)
    default: false
    }
  }

  private func isBeyondMargin(_ estimate: RatioEstimate) -> Bool {
    estimate.interval.map { !$0.overlaps(Self.span(margin)) } ?? false
  }

  private func verdict(on estimate: RatioEstimate) -> Verdict {
    guard let interval = estimate.interval else { return .undecided }
    let noise = Self.span(assumedNoise)
    let (low, high) = (interval.lowerBound, interval.upperBound)
    if assumedNoise <= margin, Self.span(margin).contains(low), Self.span(margin).contains(high) {
      return .equivalent
    }
    if high < noise.lowerBound { return .faster }
    if low > noise.upperBound { return .slower }
    return .undecided
  }

  /// Returns the ratios within a difference, such as 1 ÷ 1.05 to 1.05. The range is the same if the
  /// two series change places.
  private static func span(_ fraction: Double) -> ClosedRange<Double> {
    1 / (1 + fraction)...(1 + fraction)
  }
}

/// A verdict with the estimate that it comes from.
public struct Judgment: Hashable, Sendable {
  /// The ratio of the two series.
  public let estimate: RatioEstimate
  /// The verdict, which applies to the scope of the estimate.
  public let verdict: Verdict
  /// Whether the verdict is undecided although one figure is more than twice the other. The values
  /// are then too scattered to call the two similar.
  public let isOutOfRange: Bool

  /// The verdict in words.
  public var text: String { verdict.rawValue + (isOutOfRange ? " (range)" : "") }

  /// Whether the verdict is only about one session, and says nothing about another one.
  public var isIndicative: Bool { estimate.scope == .oneSession }

  /// The verdict that applies to other sessions too: undecided if there is only one.
  public var generalVerdict: Verdict { isIndicative ? .undecided : verdict }
}
