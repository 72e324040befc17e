import Interleaving
import SeededRandom
import StressTesting

/// Explores schedules of one scenario of a collection, strategy after strategy.
struct ScenarioHunt: Sendable {
  let subject: Subject
  let scenario: Scenario

  /// Returns how many executions there were, and what was found.
  func run(
    seed: UInt64, until end: ContinuousClock.Instant
  ) -> (executions: Int, finding: Finding?) {
    var seeds = SplitMix64(seed: seed)
    var executions = 0
    while true {
      for strategy in Self.strategies {
        let trial = ScheduleTrial(subject: subject, seed: seeds.next(), strategy: strategy)
        let (tally, failure) = trial.run(scenario)
        executions += tally.executions
        if let failure { return (executions, finding(failure, trial)) }
        if ContinuousClock.now >= end { return (executions, nil) }
      }
    }
  }

  private static let strategies: [Exploration.Strategy] = [
    .randomWalk, .probabilisticConcurrency(depth: 3), .depthFirst(preemptionBound: 2),
  ]

  private func finding(_ failure: FailedExecution, _ trial: ScheduleTrial) -> Finding {
    Finding(
      subject: subject.name, scenario: scenario,
      violation: trial.violation(failure, of: scenario),
      replay: ReplayString(scenario, .schedule(failure.schedule.description)))
  }
}
