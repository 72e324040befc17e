import EpochReclamation
import Interleaving
import SeededRandom
import Threading

/// A cell that runs random scenarios under the managed scheduler.
package struct ScheduleCell: StressCell {
  package let subject: Subject
  package var driver: StressDriver { .schedules }
  /// The cell never calls this closure: a child process runs the scenarios, and the parent process
  /// reports a crash of the child.
  package var announce: @Sendable (ReplayString) -> Void = { _ in }
  package var onViolation: @Sendable (Finding) -> Void = { _ in }
  private var scenarios: ScenarioGenerator
  private var seeds: SplitMix64
  private let executions: Int
  private let minimizing: Duration
  private let hangLimit: Duration

  /// - Parameters:
  ///   - threads: The numbers of threads of scenarios; `nil` for 2 to 4.
  ///   - steps: The numbers of steps of a thread; `nil` for 1 to 4.
  ///   - executions: The number of executions of a scenario.
  ///   - minimizing: The time limit for the minimization of a failing scenario.
  ///   - hangLimit: The time without a step after which an execution counts as hanging.
  package init(
    _ subject: Subject, seed: UInt64, threads: [Int]? = nil, steps: ClosedRange<Int>? = nil,
    executions: Int = 2000, minimizing: Duration = .seconds(5),
    hangLimit: Duration = standardHangLimit
  ) {
    self.subject = subject
    self.executions = executions
    self.minimizing = minimizing
    self.hangLimit = hangLimit
    var limits = threads.map(ScenarioGenerator.Limits.schedules.exactly) ?? .schedules
    limits.steps = steps ?? limits.steps
    seeds = SplitMix64(seed: seed)
    scenarios = ScenarioGenerator(for: subject.collection, seed: seeds.next(), limits: limits)
  }

  package mutating func tryNext() async -> StressResult {
    let scenario = scenarios.next()
    var trial = ScheduleTrial(subject: subject, seed: seeds.next(), strategy: strategy())
    trial.executions = executions
    trial.hangLimit = hangLimit
    trial.memory = MemoryModel.weakModels[seeds.number(below: MemoryModel.weakModels.count)]
    // Not with `update`, which blocks other threads at its key, and not with births, because a
    // suspended thread starts no other thread.
    trial.suspendsOneThread =
      subject.isLockFree && seeds.number(below: 4) == 0
      && !scenario.steps.contains { $0.verb == .update }
      && scenario.threads.allSatisfy { $0.birth == nil }
    let (tally, failure) = await onOwnThread { [trial] in trial.run(scenario) }
    var result = StressResult(tally: tally)
    guard let failure else { return result }
    result.tally.violations = 1
    onViolation(finding(failure, in: scenario, trial))
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
    return finding(fewest, in: scenario, trial)
  }

  private func finding(
    _ failure: FailedExecution, in scenario: Scenario, _ trial: ScheduleTrial
  ) -> Finding {
    Finding(
      subject: subject.name, scenario: scenario,
      violation: trial.violation(failure, of: scenario),
      replay: ReplayString(scenario, .schedule(failure.schedule.description)))
  }
}

/// The exploration of one scenario under the managed scheduler, in child processes.
package struct ScheduleTrial: Sendable {
  let subject: Subject
  let seed: UInt64
  let strategy: Exploration.Strategy
  package var memory = MemoryModel.storeBuffers
  package var executions = 2000
  /// The time without a step after which an execution counts as hanging.
  var hangLimit = standardHangLimit
  /// Whether the scheduler suspends one thread until all others have ended.
  var suspendsOneThread = false

  package init(subject: Subject, seed: UInt64, strategy: Exploration.Strategy) {
    self.subject = subject
    self.seed = seed
    self.strategy = strategy
  }

  /// Explores the scenario; returns the counts and the first failure.
  package func run(_ scenario: Scenario) -> (tally: StressTally, failure: FailedExecution?) {
    let outcome = explore(scenario)
    var tally = StressTally()
    tally.scenarios = 1
    tally.executions = Int(outcome.executions)
    tally.histories = tally.executions
    tally.operations = tally.executions * scenario.steps.count
    return (tally, outcome.failure)
  }

  func explore(_ scenario: Scenario) -> Outcome { driver(of: scenario).explore(plan) }

  /// Explores a candidate of the minimization; returns its first failure before `end`.
  func failure(of scenario: Scenario, until end: ContinuousClock.Instant) -> FailedExecution? {
    plan.failure(until: end, exploring: driver(of: scenario).explore)
  }

  /// Returns the failure with the fewest preemptions, at most three; `nil` if the search finds
  /// none.
  func failureWithFewestSwitches(of scenario: Scenario) -> FailedExecution? {
    plan.failureWithFewestSwitches(exploring: driver(of: scenario).explore)
  }

  /// Returns the violation of a failure, with a trace and, if the failure can be replayed in this
  /// process, a recording.
  package func violation(_ failure: FailedExecution, of scenario: Scenario) -> Violation {
    driver(of: scenario).violation(failure)
  }

  private func driver(of scenario: Scenario) -> ScheduleDriver {
    var driver = ScheduleDriver(subject: subject, scenario: scenario)
    driver.hangLimit = hangLimit
    return driver
  }

  private var plan: Exploration {
    Exploration(
      strategy: strategy, seed: seed, executions: executions, memory: memory,
      suspendsOneThread: suspendsOneThread, weakened: subject.weakenings)
  }
}

/// Runs a scenario on virtual threads under the managed scheduler. The subject must never suspend.
///
/// Every execution has its own collection and reclamation domain, so a node that is live at the end
/// is a leak. The driver checks a history as soon as its execution ends, and checks equal histories
/// only once.
struct ScheduleDriver: Sendable {
  let subject: Subject
  let scenario: Scenario
  /// The bag capacity of the reclamation domain. The smallest one causes an attempt to reclaim at
  /// every retire, and so exposes premature reclamation.
  var bagCapacity = 1
  /// The time without a step after which an execution counts as hanging.
  var hangLimit = standardHangLimit
  private let check: RecordingCheck

  init(subject: Subject, scenario: Scenario) {
    self.subject = subject
    self.scenario = scenario
    check = RecordingCheck(scenario, isFenced: false)
  }

  #if Interleaving
    private var runner: ScheduleRunner<Recording> {
      var runner = ScheduleRunner<Recording>(
        record: { run(in: $0) }, verdict: { [check] in check.verdict(on: $0) })
      runner.weakened = subject.weakenings
      runner.hangLimit = hangLimit
      return runner
    }

    func explore(_ plan: Exploration) -> Outcome { runner.explore(plan, timeLimit: nil) }

    func violation(_ failure: FailedExecution) -> Violation { runner.violation(failure) }

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
      fatalError("schedules need a build with --traits Interleaving")
    }

    func violation(_ failure: FailedExecution) -> Violation {
      fatalError("schedules need a build with --traits Interleaving")
    }
  #endif
}
