import Interleaving
import SeededRandom

/// Random scenarios of one subject under the managed scheduler.
package struct ScheduleCell: StressCell {
  package let subject: Subject
  package var driver: StressDriver { .schedules }
  /// Never called: what runs there runs in child processes, whose end is told afterwards.
  package var announce: @Sendable (ReplayString) -> Void = { _ in }
  private var scenarios: ScenarioGenerator
  private var seeds: SplitMix64
  private let minimizing: Duration

  package init(_ subject: Subject, seed: UInt64, minimizing: Duration = .seconds(5)) {
    self.subject = subject
    self.minimizing = minimizing
    seeds = SplitMix64(seed: seed)
    scenarios = ScenarioGenerator(
      for: subject.collection, seed: seeds.next(), limits: .schedules)
  }

  package mutating func tryNext() async -> StressResult {
    let scenario = scenarios.next()
    var trial = ScheduleTrial(subject: subject, seed: seeds.next(), strategy: strategy())
    // An update keeps others from its key until it is done, and nobody is born of a thread that stopped.
    trial.suspendsOneThread =
      subject.isLockFree && seeds.number(below: 4) == 0
      && !scenario.steps.contains { $0.verb == .update }
      && scenario.threads.allSatisfy { $0.birth == nil }
    let (tally, failure) = trial.run(scenario)
    var result = StressResult(tally: tally)
    guard let failure else { return result }
    result.tally.violations = 1
    result.finding = await minimized(scenario, failure, trial)
    return result
  }

  private mutating func strategy() -> Exploration.Strategy {
    [.randomWalk, .probabilisticConcurrency(depth: 3), .depthFirst(preemptionBound: 2)][
      seeds.number(below: 3)]
  }

  private func minimized(
    _ scenario: Scenario, _ failure: FailedExecution, _ trial: ScheduleTrial
  ) async -> Finding {
    let end = ContinuousClock.now + minimizing
    let minimizer = Minimizer { candidate in trial.failure(of: candidate, until: end) }
    let (scenario, found) = await minimizer.minimize(
      scenario, failing: failure, isOutOfTime: { ContinuousClock.now >= end })
    let fewest = trial.failureWithFewestSwitches(of: scenario) ?? found
    return Finding(
      subject: subject.name, scenario: scenario,
      violation: trial.violation(fewest, of: scenario),
      replay: ReplayString(scenario, .schedule(fewest.schedule.description)))
  }
}
