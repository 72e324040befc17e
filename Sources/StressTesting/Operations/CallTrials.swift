import Interleaving
import Primitives
import SeededRandom
import Synchronization
import Threading

/// The repeated execution of one scenario on threads of the system.
struct CallThreadTrial<Subject: Sendable>: Sendable {
  let test: StressTest<Subject>
  let seed: UInt64

  struct Result: Sendable {
    var executions = 0
    var undecided = 0
    var finding: CallFinding?
  }

  /// Runs the scenario many times, and checks the distinct histories.
  func run(_ scenario: CallScenario, repetition: UInt64 = 0) async -> Result {
    var result = Result()
    // Scenarios are small, so a few more rounds cost less than their threads.
    let count = 2 * ThreadRounds.count(operations: scenario.count)
    switch await recordings(of: scenario, rounds: count, seed: seed &+ repetition) {
    case .hang(let pending): result.finding = hang(pending, in: scenario)
    case .recorded(let recordings):
      result.executions = recordings.count
      for recording in Set(recordings) {
        switch test.check(recording) {
        case .fine: continue
        case .undecided: result.undecided += 1
        case .violation(let violation):
          result.finding = CallFinding(
            kind: .notLinearizable, scenario: scenario, violation: violation,
            run: .threads(seed: seed))
          return result
        }
      }
    }
    return result
  }

  /// Repeats a scenario, which may fail only occasionally; returns `nil` if it did not fail.
  func finding(of scenario: CallScenario, until end: ContinuousClock.Instant) async -> CallFinding?
  {
    for repetition in 0..<6 where ContinuousClock.now < end {
      if let finding = await run(scenario, repetition: UInt64(repetition)).finding {
        return finding
      }
    }
    return nil
  }

  /// Returns the finding that calls did not return.
  func hang(_ pending: [String], in scenario: CallScenario) -> CallFinding {
    let limit = test.options.callTimeLimit
    let calls = pending.isEmpty ? "creating the subject" : pending.joined(separator: ", ")
    return CallFinding(
      kind: .neverReturned, scenario: scenario,
      violation: ExecutionViolation(.hang, "\(calls) did not return within \(limit)"),
      run: .threads(seed: seed))
  }

  /// What a trap on one of the threads prints, because it ends the process.
  private func trapText(in scenario: CallScenario) -> String {
    let finding = CallFinding(
      kind: .crash, scenario: scenario,
      violation: ExecutionViolation(.execution, StressFailure.trapOnThreads),
      run: .threads(seed: seed))
    return "\(test.failure(finding, seed: seed))\n"
  }

  enum Recordings: Sendable {
    case recorded([CallRecording])
    case hang(pending: [String])
  }

  /// Runs the scenario, and returns the recording of each round.
  func recordings(of scenario: CallScenario, rounds count: Int, seed: UInt64) async -> Recordings {
    let stamps = seed % 8 == 0 ? StampSource.ticket() : .clock
    let note = TrapNote()
    note.expect(trapText(in: scenario))
    defer { withExtendedLifetime(note) {} }
    // Another thread reads the rounds if some call does not return.
    let shared = Shared()
    let recordings = await withDeadline(
      test.options.callTimeLimit, waiting: test.options.waitForCallTimeLimit,
      progress: { shared.rounds.reduce(0) { $0 + $1.progress } }
    ) {
      test.isSynchronous
        ? await onThreads(scenario, count, stamps, shared, seed)
        : await inTasks(scenario, count, stamps, shared, seed)
    }
    return recordings.map { .recorded($0) }
      ?? .hang(pending: shared.rounds.first { !$0.pendingCalls.isEmpty }?.pendingCalls ?? [])
  }

  private final class Shared: Sendable {
    private let created = Monitor<[CallRound<Subject>]>([])

    var rounds: [CallRound<Subject>] { created.read { $0 } }

    func add(_ round: CallRound<Subject>) { created.change { $0.append(round) } }
  }

  private func onThreads(
    _ scenario: CallScenario, _ count: Int, _ stamps: StampSource, _ shared: Shared, _ seed: UInt64
  ) async -> [CallRecording] {
    await onOwnThread {
      for _ in 0..<count {
        let round = CallRound(scenario, of: test, stamps: stamps)
        shared.add(round)
        round.runBefore()
      }
    }
    let rounds = shared.rounds
    await ThreadRounds(seed: seed).run(rounds, threads: scenario.threads.count) { $0.run($1) }
    return await onOwnThread {
      rounds.map {
        $0.runAfter()
        return $0.recording
      }
    }
  }

  private func inTasks(
    _ scenario: CallScenario, _ count: Int, _ stamps: StampSource, _ shared: Shared, _ seed: UInt64
  ) async -> [CallRecording] {
    for _ in 0..<count {
      let round = CallRound(scenario, of: test, stamps: stamps)
      shared.add(round)
      await round.runBefore()
    }
    let rounds = shared.rounds
    await ThreadRounds(seed: seed).runTasks(rounds, threads: scenario.threads.count) {
      await $0.run($1)
    }
    var recordings: [CallRecording] = []
    for round in rounds {
      await round.runAfter()
      recordings.append(round.recording)
    }
    return recordings
  }
}

/// The exploration of one scenario in chosen schedules: of virtual threads in child processes, or
/// of tasks in this process if an operation suspends.
struct CallScheduleTrial<Subject: Sendable>: Sendable {
  let test: StressTest<Subject>
  var plan: Exploration

  /// Counts the executions of tasks, so that another thread sees whether they go on.
  private let progress = Counter()

  init(test: StressTest<Subject>, plan: Exploration) {
    self.test = test
    self.plan = plan
  }

  /// Explores the scenario.
  ///
  /// - Parameter timeLimit: The time after which no further execution begins.
  func explore(
    _ scenario: CallScenario, _ plan: Exploration? = nil, timeLimit: Duration? = nil
  ) -> Outcome {
    runner(of: scenario).explore(plan ?? self.plan, timeLimit: timeLimit)
  }

  /// Returns the result of `body`, which explores, on a thread of its own; `nil` if a call has
  /// blocked the thread of all tasks for the time limit of calls.
  func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R? {
    // Virtual threads run in child processes, which have their own watch.
    if test.isSynchronous { return await onOwnThread(body) }
    return await withDeadline(test.options.callTimeLimit, progress: { progress.total }) {
      await onOwnThread(body)
    }
  }

  /// Returns the finding that a call has blocked its thread.
  func blocked(_ scenario: CallScenario) -> CallFinding {
    CallFinding(
      kind: .uncontrolledSubject, scenario: scenario,
      violation: ExecutionViolation(
        .hang,
        "a call blocked its thread for \(test.options.callTimeLimit), and with it all tasks; it "
          + "must suspend instead of waiting for a lock, a semaphore or another thread; if it "
          + "cannot, test it on threads alone, with options.drivers = [.threads]"),
      run: nil)
  }

  /// Returns the finding that a failed execution is.
  func finding(_ failed: FailedExecution, of scenario: CallScenario) -> CallFinding {
    let violation = runner(of: scenario).violation(failed)
    var finding = CallFinding(
      kind: .memory, scenario: scenario, violation: violation,
      run: .schedule(failed.schedule.description))
    let diagnosis = ExecutionDiagnosis(
      failed.failure, isRepeated: violation.recording != nil)
    finding.kind = diagnosis.kind
    finding.violation.summary = diagnosis.summary ?? violation.summary
    if !diagnosis.isRepeatable { finding.run = nil }
    switch failed.failure {
    case .scheduleMismatch, .assertion: break
    default:
      let pending = CallReport.pendingCalls(in: violation.trace)
      if !pending.isEmpty {
        finding.violation.summary += "; not returned: \(pending.joined(separator: ", "))"
      }
    }
    return finding
  }

  private func runner(of scenario: CallScenario) -> any ExecutionRunner<CallRecording> {
    if !test.isSynchronous { return taskRunner(of: scenario) }
    #if Interleaving
      return threadRunner(of: scenario)
    #else
      fatalError("schedules need a build with --traits Interleaving")
    #endif
  }

  private func taskRunner(of scenario: CallScenario) -> TaskRunner<CallRecording> {
    TaskRunner(
      record: {
        progress.add()
        let round = CallRound(scenario, of: test, stamps: .ticket())
        await round.runBefore()
        await withDiscardingTaskGroup { group in
          for thread in scenario.threads.indices {
            group.addTask {
              Exploration.nameTask(CallTask(index: thread).name)
              await round.run(thread)
            }
          }
        }
        await round.runAfter()
        return round.recording
      }, verdict: test.check)
  }

  #if Interleaving
    private func threadRunner(of scenario: CallScenario) -> ScheduleRunner<CallRecording> {
      var runner = ScheduleRunner<CallRecording>(
        record: { execution in
          let round = CallRound(
            scenario, of: test, stamps: StampSource { Execution.current?.now ?? .max })
          round.runBefore()
          for thread in scenario.threads.indices {
            execution.thread("thread \(thread)") { round.run(thread) }
          }
          execution.runThreads()
          round.runAfter()
          return round.recording
        }, verdict: test.check)
      runner.hangLimit = test.options.callTimeLimit
      return runner
    }
  #endif
}
