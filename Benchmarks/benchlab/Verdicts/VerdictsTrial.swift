import BenchmarkCommands
import TerminalIO
import Benchmarking
import Measurements
import Reporting
import SeededRandom
import Workloads

/// Measures two sides and lets them be compared.
struct VerdictsTrial {
  private let plan: VerdictsPlan
  private let template: RowTemplate
  private var terms = ComparisonTerms()
  let slowdownPercent: Int

  init(
    _ plan: VerdictsPlan, _ environment: Measurements.Measurement.Environment, _ noise: MachineNoise
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

  /// Equal code, with a number of processes that is settled before.
  func equal(_ run: Int) throws(CommandError) -> VerdictsOutcome {
    var sides = ComparisonSides(base: [], candidate: [])
    for pair in 0..<plan.pairs {
      try measure([.slowed(byPercent: 0), .slowed(byPercent: 0)], run: 2 * run, pair, into: &sides)
    }
    return try outcome(of: sides)
  }

  /// The same against slower code, until the verdict is not undecided or the processes are used up.
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
        throw CommandError(status: .found, description: "failed: \(error)")
      }
      var row = template.measurement(number: index, trial, result, at: .now)
      // Compared as if one were the other after a change.
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
    // Without it a build that is not fit for measuring could not be tried.
    terms.allowedDifferences = [.configuration]
    do {
      let comparison = try Comparison(
        sides, terms, drawingFrom: SplitMix64(seed: plan.seed.derived(for: .order)))
      return VerdictsOutcome(comparison.rows[0])
    } catch {
      throw .failed("the two sides cannot be compared: \(error)")
    }
  }
}
