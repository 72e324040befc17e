import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Reporting
import SeededRandom
import TerminalIO
import Workloads

/// A measurement and comparison of two sides.
struct VerdictsTrial {
  private let plan: VerdictsPlan
  private let template: RowTemplate
  private var terms = ComparisonTerms()
  let slowdownPercent: Int

  init(
    _ plan: VerdictsPlan, _ environment: Measurement.Environment, _ noise: MachineNoise
  ) {
    self.plan = plan
    template = RowTemplate(run: "verdicts", environment: environment)
    terms.measuredNoise = noise
    let side = MachineNoise.Level.Side(
      processes: plan.pairs, trials: plan.pairs * VerdictsPlan.trialsOfProcess)
    let floor = noise.level(forThreads: plan.threads).floor(side, side)
    let percent = Int(max(10, 200 * floor).rounded(.up))
    slowdownPercent = min(percent, Contestant.allowedSlowdowns.upperBound)
  }

  /// Compares equal code, with a fixed number of processes.
  func equal(_ run: Int) throws(CommandError) -> VerdictsOutcome {
    var sides = ComparisonSides(base: [], candidate: [])
    for pair in 0..<plan.pairs {
      try measure([.slowed(byPercent: 0), .slowed(byPercent: 0)], run: 2 * run, pair, into: &sides)
    }
    return try outcome(of: sides)
  }

  /// Compares with slower code, adding processes until the verdict is decided or they are used up.
  func slowed(_ run: Int) throws(CommandError) -> VerdictsOutcome {
    var sides = ComparisonSides(base: [], candidate: [])
    let contestants = [
      Contestant.slowed(byPercent: 0), .slowed(byPercent: slowdownPercent),
    ]
    var pair = 0
    repeat {
      try measure(contestants, run: 2 * run + 1, pair, into: &sides)
      pair += 1
      guard pair >= Bootstrap.valuesNeeded else { continue }
      let outcome = try outcome(of: sides)
      if outcome.verdict != .undecided || pair == VerdictsPlan.mostPairs { return outcome }
    } while true
  }

  private func measure(
    _ contestants: [Contestant], run: Int, _ pair: Int, into sides: inout ComparisonSides
  ) throws(CommandError) {
    let trials = plan.trials(of: contestants, run: run, pair: pair)
    let forks = try Forks(for: trials)
    for (index, trial) in trials.enumerated() {
      let result: TrialResult
      do { result = try forks.run(trial) } catch {
        throw CommandError(status: .found, description: "a trial failed: \(error)")
      }
      var row = template.measurement(number: index, trial, result, at: .now)
      // Both sides get the same name, like one backend before and after a change.
      row.configuration.backend = "mutex"
      if trial.fork.isMultiple(of: 2) {
        sides.candidate.append(row)
      } else {
        sides.base.append(row)
      }
    }
  }

  private func outcome(of sides: ComparisonSides) throws(CommandError) -> VerdictsOutcome {
    var terms = terms
    // Otherwise, tests could not run the command in a build that is not fit for measuring.
    terms.allowedDifferences = [.configuration]
    do {
      let comparison = try Comparison(
        sides, terms, drawingFrom: SplitMix64(seed: plan.seed.derived(for: .order)))
      return VerdictsOutcome(comparison.rows[0])
    } catch {
      throw .failed("the two sides cannot be compared: \(error); report this as a bug")
    }
  }
}

/// The result of one comparison.
struct VerdictsOutcome: Equatable {
  var verdict: Verdict
  var ratio: Double
  var interval: ClosedRange<Double>?
  var noiseFloor: Double
  var processes: Int

  /// Whether the ratio is 1 within the noise floor.
  var isWithinFloor: Bool { Threshold(noiseFloor).span.contains(ratio) }

  func line(_ kind: String, _ number: Int) -> String {
    func text(_ ratio: Double) -> String { NumberText.fixed(ratio, decimals: 3) }
    let range = interval.map { "\(text($0.lowerBound))–\(text($0.upperBound))" }
    return "\(number) \(kind): ratio \(text(ratio)), interval \(range ?? NumberText.missing), "
      + "floor \(NumberText.fixed(noiseFloor * 100, decimals: 1)) %, \(processes) processes per side: "
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

/// The results of all comparisons.
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

  /// Whether the verdicts hold; chance may cause 1 wrong comparison in 20, or 1 if there are fewer.
  var holds: Bool {
    let allowed = max(1, equal.count / 20)
    return within >= equal.count - allowed && falsely <= allowed
      && slowed(as: .worse) >= slowed.count - allowed
      && slowed(as: .same) == 0 && slowed(as: .better) == 0
  }
}
