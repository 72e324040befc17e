import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import TerminalIO

/// A comparison of two sides whose true ratio is known.
struct KnownRatioComparison {
  private let plan: VerdictsPlan
  private let template: RowTemplate

  init(_ plan: VerdictsPlan, _ environment: Measurement.Environment) {
    self.plan = plan
    template = RowTemplate(run: "verdicts", environment: environment)
  }

  /// Measures a map and the same map with a slowdown, session by session, and judges the second.
  func judgment(slowdownPercent: Int, run: Int) throws(CommandError) -> Judgment {
    let contestants = [Contestant.slowed(byPercent: 0), .slowed(byPercent: slowdownPercent)]
    var rows: [[Measurement]] = [[], []]
    for session in 0..<plan.sessions {
      let trials = plan.trials(of: contestants, run: run, session: session)
      let sessions = try SessionProcesses(for: trials.map(\.specification))
      for (index, trial) in trials.enumerated() {
        do {
          let result = try sessions.run(trial.specification)
          rows[trial.side].append(
            template.measurement(number: index, trial.specification, result, at: .now))
        } catch {
          throw CommandError(status: .found, description: "a trial failed: \(error)")
        }
      }
    }
    let values = rows.compactMap { SessionValues($0, .nanosecondsPerOperation) }
    return VerdictRule().judgment(on: values[1], over: values[0])
  }
}

/// The results of all comparisons.
struct VerdictsTally {
  var equal: [Judgment] = []
  var slowed: [Judgment] = []

  static func line(_ kind: String, _ number: Int, _ judgment: Judgment) -> String {
    func text(_ ratio: Double) -> String { NumberText.fixed(ratio, decimals: 3) }
    let estimate = judgment.estimate
    let range = estimate.interval.map { "\(text($0.lowerBound))–\(text($0.upperBound))" }
    return "\(number) \(kind): ratio \(text(estimate.ratio)), interval "
      + "\(range ?? NumberText.missing): \(judgment.verdict.rawValue)"
  }

  private func count(_ verdict: Verdict, _ judgments: [Judgment]) -> Int {
    judgments.count { $0.verdict == verdict }
  }

  private var falseVerdicts: Int { count(.faster, equal) + count(.slower, equal) }

  var text: String {
    func counts(_ judgments: [Judgment]) -> String {
      Verdict.allCases.map { "\(count($0, judgments)) \($0.rawValue)" }.joined(separator: ", ")
    }
    return """
      equal code: \(counts(equal)) of \(equal.count)
      slower by \(VerdictsPlan.slowdownPercent) %: \(counts(slowed)) of \(slowed.count)
      """
  }

  /// Whether the verdicts hold. Chance may cause one wrong verdict in 20 of each kind, or one if a
  /// kind has fewer. No slowed side may be *faster* or *equivalent*.
  var holds: Bool {
    let allowed = max(1, equal.count / 20)
    return falseVerdicts <= allowed && count(.slower, slowed) >= slowed.count - allowed
      && count(.equivalent, slowed) == 0 && count(.faster, slowed) == 0
  }
}
