/// What a comparison says of one row.
package enum Verdict: String, CaseIterable, Sendable {
  case better, same, worse
  /// The trials do not tell.
  case undecided
}

extension Verdict {
  /// - Same: the whole interval of the ratio is within the threshold, and noise could not hide more. A
  ///   difference that is certain but small is the same.
  /// - Better or worse: the whole interval is on one side of 1, beyond what the machine's noise moves it, and
  ///   the test finds the difference too, among all that were compared.
  /// - Otherwise undecided.
  init(of evidence: Evidence, isSmallerBetter: Bool, terms: ComparisonTerms, noiseFloor: Double) {
    guard let interval = evidence.interval else {
      self = .undecided
      return
    }
    let isNear =
      terms.threshold.span.contains(interval.lowerBound)
      && terms.threshold.span.contains(interval.upperBound)
    let isFound = evidence.adjustedPValue <= terms.significance
    let noise = Threshold(noiseFloor).span
    if isNear && noiseFloor <= terms.threshold.part {
      self = .same
    } else if isFound && interval.lowerBound > noise.upperBound {
      self = isSmallerBetter ? .worse : .better
    } else if isFound && interval.upperBound < noise.lowerBound {
      self = isSmallerBetter ? .better : .worse
    } else {
      self = .undecided
    }
  }
}
