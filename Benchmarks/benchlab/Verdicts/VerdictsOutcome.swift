import BenchmarkCommands
import Charts
import Reporting

/// What a comparison came to.
struct VerdictsOutcome: Equatable {
  var verdict: Verdict
  var ratio: Double
  var interval: ClosedRange<Double>?
  var noiseFloor: Double
  var processes: Int

  /// Whether the ratio is 1, as far as the noise floor lets it be known.
  var isWithinFloor: Bool { Threshold(noiseFloor).span.contains(ratio) }

  func line(_ kind: String, _ number: Int) -> String {
    func text(_ ratio: Double) -> String { NumberText.fixed(ratio, decimals: 3) }
    let range = interval.map { "\(text($0.lowerBound))–\(text($0.upperBound))" }
    return "\(number) \(kind): ratio \(text(ratio)), interval \(range ?? NumberText.missing), "
      + "floor \(NumberText.fixed(noiseFloor * 100, decimals: 1)) %, \(processes) processes a side: "
      + verdict.rawValue
  }
}

extension VerdictsOutcome {
  init(_ row: ComparedRow) {
    verdict = row.verdict
    ratio = row.evidence.ratio
    interval = row.evidence.interval
    noiseFloor = row.noiseFloor?.part ?? 0
    processes = min(row.base.processes, row.candidate.processes)
  }
}

/// What all comparisons come to.
struct VerdictsTally {
  let slowdownPercent: Int
  var equal: [VerdictsOutcome] = []
  var slowed: [VerdictsOutcome] = []

  private var within: Int { equal.count(where: \.isWithinFloor) }
  private var falsely: Int { equal.count { $0.verdict == .better || $0.verdict == .worse } }
  private func slowed(as verdict: Verdict) -> Int { slowed.count { $0.verdict == verdict } }

  var text: String {
    """
    equal code: \(within) of \(equal.count) ratios are 1.00 within the noise floor, \(falsely) called better or worse
    slower by \(slowdownPercent) %: \(slowed(as: .worse)) of \(slowed.count) worse, \
    \(slowed(as: .undecided)) undecided, \(slowed(as: .same)) same, \(slowed(as: .better)) better
    """
  }

  /// One in 20 may be otherwise by chance; of few, one.
  var holds: Bool {
    let allowed = max(1, equal.count / 20)
    return within >= equal.count - allowed && falsely <= allowed
      && slowed(as: .worse) >= slowed.count - allowed
      && slowed(as: .same) == 0 && slowed(as: .better) == 0
  }
}
