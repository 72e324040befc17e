/// The rule by which a run stops measuring a comparison before its time is over.
///
/// After each session, a comparison gets no more trials if it is decided with a confidence of
/// 99.5 %. Tables decide with 95 %, so what has stopped stays decided. Who looks for a verdict again
/// and again finds one by chance, unless the looks before the last are stricter (Haybittle,
/// "Repeated assessment of results in clinical trials", 1971).
///
/// The rule decides only what is measured again. The values of a session do not depend on it, and
/// none is discarded, so a comparison that goes on to the end is not biased. One that stops early
/// does so because its difference is large for its noise, or small, and its estimate leans to that
/// side. `benchlab verdicts --simulate` prints how far, and how often verdicts are false.
public struct StoppingRule: Sendable {
  private let rule: VerdictRule

  /// Creates the rule.
  ///
  /// - Parameter confidence: The probability with which the interval of an early stop has the true
  ///   ratio.
  public init(confidence: Double = 0.995) { rule = VerdictRule(confidence: confidence) }

  /// Returns the series of a comparison to measure again: the leader, and those that may be faster.
  /// Returns none if the comparison is decided.
  public func open<Name: Hashable & Sendable>(_ entrants: [(name: Name, values: SessionValues)])
    -> [Name]
  {
    if case .undecided(let names) = Contest(entrants, by: rule).outcome { names } else { [] }
  }

  /// Returns the series of `rows` to measure again, of all comparisons between backends.
  public func open(in rows: [Measurement]) -> Set<Series> {
    let contests = Summary.contests(of: Summary.summaries(of: rows))
    return Set(
      contests.flatMap { summaries in
        open(summaries.map { (name: $0.series, values: $0.nanosecondsPerOperation) })
      })
  }
}
