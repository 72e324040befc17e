import Interleaving

/// One scenario under the managed scheduler, explored in child processes.
package struct ScheduleTrial: Sendable {
  let subject: Subject
  let seed: UInt64
  let strategy: Exploration.Strategy
  var executions = 2000
  /// Whether one thread stops for ever, and the others must end nevertheless.
  var suspendsOneThread = false

  package init(subject: Subject, seed: UInt64, strategy: Exploration.Strategy) {
    self.subject = subject
    self.seed = seed
    self.strategy = strategy
  }

  package func run(_ scenario: Scenario) -> (tally: StressTally, failure: FailedExecution?) {
    let outcome = ScheduleDriver(subject: subject, scenario: scenario).explore(plan(strategy))
    var tally = StressTally()
    tally.scenarios = 1
    tally.executions = Int(outcome.executions)
    tally.histories = tally.executions
    tally.operations = tally.executions * scenario.steps.count
    return (tally, outcome.failure)
  }

  /// Explores a candidate: bounded depth first, which finds few switches, then as the trial does.
  func failure(of scenario: Scenario, until end: ContinuousClock.Instant) -> FailedExecution? {
    for strategy in [.depthFirst(preemptionBound: 2), strategy] where ContinuousClock.now < end {
      let driver = ScheduleDriver(subject: subject, scenario: scenario)
      if let failure = driver.explore(plan(strategy)).failure { return failure }
    }
    return nil
  }

  /// The failure of the first schedule in order of preemptions, if one is in reach.
  func failureWithFewestSwitches(of scenario: Scenario) -> FailedExecution? {
    for bound in 0...3 {
      var plan = plan(.depthFirst(preemptionBound: bound))
      plan.executions = 20_000
      let driver = ScheduleDriver(subject: subject, scenario: scenario)
      if let failure = driver.explore(plan).failure { return failure }
    }
    return nil
  }

  /// Replays a failure for what can be told of it.
  package func violation(_ failure: FailedExecution, of scenario: Scenario) -> Violation {
    ScheduleDriver(subject: subject, scenario: scenario).violation(failure)
  }

  private func plan(_ strategy: Exploration.Strategy) -> Exploration {
    Exploration(
      strategy: strategy, seed: seed, executions: executions,
      suspendsOneThread: suspendsOneThread, weakened: subject.weakenings)
  }
}
