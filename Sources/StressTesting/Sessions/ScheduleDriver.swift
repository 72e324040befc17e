import EpochReclamation
import Interleaving
import SeededRandom
import Synchronization

/// A cell with random scenarios under the managed scheduler.
package struct ScheduleCell: StressCell {
  package let subject: Subject
  package var driver: StressDriver { .schedules }
  /// The cell never calls this closure: a child process runs the scenarios, and the parent reports
  /// its end.
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
    // Not with `update`, which blocks its key; not with births, because a suspended thread starts
    // none.
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

/// The exploration of one scenario under the managed scheduler, in child processes.
package struct ScheduleTrial: Sendable {
  let subject: Subject
  let seed: UInt64
  let strategy: Exploration.Strategy
  var executions = 2000
  /// Whether the scheduler suspends one thread until all others have ended.
  var suspendsOneThread = false

  package init(subject: Subject, seed: UInt64, strategy: Exploration.Strategy) {
    self.subject = subject
    self.seed = seed
    self.strategy = strategy
  }

  /// Explores the scenario; returns the counts and the first failure.
  package func run(_ scenario: Scenario) -> (tally: StressTally, failure: FailedExecution?) {
    let outcome = ScheduleDriver(subject: subject, scenario: scenario).explore(plan(strategy))
    var tally = StressTally()
    tally.scenarios = 1
    tally.executions = Int(outcome.executions)
    tally.histories = tally.executions
    tally.operations = tally.executions * scenario.steps.count
    return (tally, outcome.failure)
  }

  /// Explores a candidate: first depth first, which finds schedules with few switches, then with
  /// the strategy of the trial.
  func failure(of scenario: Scenario, until end: ContinuousClock.Instant) -> FailedExecution? {
    for strategy in [.depthFirst(preemptionBound: 2), strategy] where ContinuousClock.now < end {
      let driver = ScheduleDriver(subject: subject, scenario: scenario)
      if let failure = driver.explore(plan(strategy)).failure { return failure }
    }
    return nil
  }

  /// Returns the failure with the fewest preemptions, at most three; `nil` if the search finds
  /// none.
  func failureWithFewestSwitches(of scenario: Scenario) -> FailedExecution? {
    for bound in 0...3 {
      var plan = plan(.depthFirst(preemptionBound: bound))
      plan.executions = 20_000
      let driver = ScheduleDriver(subject: subject, scenario: scenario)
      if let failure = driver.explore(plan).failure { return failure }
    }
    return nil
  }

  /// Replays a failure and returns its violation with a recording and a trace.
  package func violation(_ failure: FailedExecution, of scenario: Scenario) -> Violation {
    ScheduleDriver(subject: subject, scenario: scenario).violation(failure)
  }

  private func plan(_ strategy: Exploration.Strategy) -> Exploration {
    Exploration(
      strategy: strategy, seed: seed, executions: executions,
      suspendsOneThread: suspendsOneThread, weakened: subject.weakenings)
  }
}

/// Runs a scenario of a subject that never suspends on virtual threads, under the managed
/// scheduler.
///
/// Every execution has its own collection and reclamation domain, so that a node that is live at
/// its end is a leak. The driver checks each history immediately, and each distinct history once.
struct ScheduleDriver: Sendable {
  let subject: Subject
  let scenario: Scenario
  /// The smallest capacity, which causes a reclamation attempt at every retire and so exposes
  /// premature reclamation.
  var bagCapacity = 1
  private let check: RecordingCheck

  init(subject: Subject, scenario: Scenario) {
    self.subject = subject
    self.scenario = scenario
    check = RecordingCheck(scenario, isFenced: false)
  }

  #if Interleaving
    /// Explores in child processes, so that a trap is a failure of the execution.
    func explore(_ plan: Exploration) -> Outcome {
      let check = MemoizedCheck(check)
      do {
        return try plan.runInChildren { execution in
          if let violation = check.violation(in: run(in: execution)) {
            execution.fail(violation.summary)
          }
        }
      } catch {
        preconditionFailure(
          "fork failed: \(error); close other processes or raise ulimit -u")
      }
    }

    /// Returns the violation of a failure. Replays a failed assertion in this process for its
    /// recording; other failures could end this process.
    func violation(_ failure: FailedExecution) -> Violation {
      var violation = Violation(.execution, failure.failure.description)
      if case .assertion = failure.failure, let recorded = replay(failure.schedule) {
        violation = recorded
      }
      // Thread 0 is the scenario, which creates everything before the threads run and releases it
      // after.
      violation.trace = failure.trace.filter { $0.thread > 0 }.map {
        // The description begins with the number of the thread, which counts the scenario too.
        TraceLine(
          thread: $0.thread - 1, text: String($0.description.dropFirst("\($0.thread) ".count)))
      }
      return violation
    }

    private func replay(_ schedule: Schedule) -> Violation? {
      let found = Mutex<Violation?>(nil)
      let plan = Exploration(
        strategy: .replay(schedule), seed: 0, executions: 1, weakened: subject.weakenings)
      _ = plan.run { execution in
        if case .violation(let violation) = check.verdict(on: run(in: execution)) {
          found.withLock { $0 = violation }
        }
      }
      return found.withLock { $0 }
    }

    private func run(in execution: Execution) -> Recording {
      let domain = EpochDomain(
        pinning: subject.pinning, bagCapacity: bagCapacity, reportStall: { _ in })
      let round = Round(
        scenario, of: subject, domain: domain,
        stamps: StampSource { Execution.current?.now ?? .max })
      let target = round.target as! any SynchronousTarget
      @Sendable func start(_ thread: Int) {
        Execution.current!.thread("thread \(thread)") {
          round.run(thread, on: target, startingOthersBy: start)
        }
      }
      for (index, thread) in scenario.threads.enumerated() where thread.birth == nil {
        start(index)
      }
      execution.runThreads()
      return round.end(on: target)
    }
  #else
    func explore(_ plan: Exploration) -> Outcome {
      preconditionFailure("schedules need a build with --traits Interleaving")
    }

    func violation(_ failure: FailedExecution) -> Violation {
      preconditionFailure("schedules need a build with --traits Interleaving")
    }
  #endif
}
