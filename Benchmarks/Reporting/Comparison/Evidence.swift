import Measurements

/// What the values of two sides say of their ratio.
package struct Evidence: Hashable, Sendable {
  package let baseMedian: Double
  package let candidateMedian: Double
  /// Candidate ÷ base, of the medians; infinite if only the base's is 0.
  package let ratio: Double
  /// Where the ratio lies; `nil` for too few values.
  package let interval: ClosedRange<Double>?
  /// Above 0 where the candidate's values are the greater ones; see `CliffsDelta`.
  package let cliffsDelta: Double
  package let pValue: Double
  /// The same among all rows compared; see `HolmCorrection`.
  package internal(set) var adjustedPValue: Double

  /// `nil` if a side has no values.
  init?(
    _ candidate: [Double], over base: [Double], _ bootstrap: Bootstrap,
    using generator: inout some RandomNumberGenerator
  ) {
    guard
      let test = MannWhitneyTest(candidate, base),
      let delta = CliffsDelta.of(candidate, over: base),
      let upper = Statistics.median(candidate), let lower = Statistics.median(base)
    else { return nil }
    baseMedian = lower
    candidateMedian = upper
    ratio = Ratio.of(upper, to: lower)
    interval = bootstrap.interval(ofRatioOf: candidate, to: base, using: &generator)
    cliffsDelta = delta
    pValue = test.pValue
    adjustedPValue = test.pValue
  }
}
