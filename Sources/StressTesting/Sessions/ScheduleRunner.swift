import Interleaving
import Threading

/// The time without a step after which an execution counts as hanging, if nothing else is required.
package let standardHangLimit = Duration.seconds(60)

/// Runs a scenario in chosen schedules.
protocol ExecutionRunner<Recorded>: Sendable {
  associatedtype Recorded: ExecutionRecording

  /// Explores the scenario.
  ///
  /// - Parameter timeLimit: The time after which no further execution begins.
  func explore(_ plan: Exploration, timeLimit: Duration?) -> Outcome

  /// Repeats an execution in this process; returns its violation, `nil` if there is none.
  func replay(_ schedule: Schedule) -> ExecutionViolation<Recorded>?

  /// Returns the trace of a failed execution.
  func trace(of failure: FailedExecution) -> [TraceLine]
}

extension ExecutionRunner {
  func trace(of failure: FailedExecution) -> [TraceLine] { [TraceLine](failure.trace) }

  /// Returns the violation of a failure. Replays a failed assertion for its recording; other
  /// failures could end this process.
  func violation(_ failure: FailedExecution) -> ExecutionViolation<Recorded> {
    var violation = ExecutionViolation<Recorded>(.execution, failure.summary)
    if case .assertion = failure.failure, let recorded = replay(failure.schedule) {
      violation = recorded
    }
    violation.trace = trace(of: failure)
    violation.failure = failure.failure
    return violation
  }
}

/// Runs a scenario of asynchronous calls under a controlled executor, in this process.
struct TaskRunner<Recorded: ExecutionRecording>: ExecutionRunner {
  /// Runs the scenario in an execution.
  let record: @Sendable () async -> Recorded
  /// Checks a recording.
  let verdict: @Sendable (Recorded) -> ExecutionVerdict<Recorded>

  /// The error that ends a violating execution.
  private struct Violated: Error, CustomStringConvertible {
    let description: String
  }

  func explore(_ plan: Exploration, timeLimit: Duration?) -> Outcome {
    let check = MemoizedCheck(verdict)
    return plan.runTasksOnThisThread(timeLimit: timeLimit) {
      if let violation = check.violation(in: await record()) {
        throw Violated(description: violation.summary)
      }
    }
  }

  func replay(_ schedule: Schedule) -> ExecutionViolation<Recorded>? {
    let found = Monitor<ExecutionViolation<Recorded>?>(nil)
    let plan = Exploration(strategy: .replay(schedule), seed: 0, executions: 1)
    _ = plan.runTasksOnThisThread {
      if case .violation(let violation) = verdict(await record()) {
        found.change { $0 = violation }
      }
    }
    return found.read { $0 }
  }

  /// The trace with the calls' tasks as threads, and the subject's own tasks behind them. The task
  /// of the body is omitted, as thread 0 is.
  func trace(of failure: FailedExecution) -> [TraceLine] {
    let called = failure.threads.count { CallTask(name: $0) != nil }
    var own: [Int: Int] = [1: 0]
    return [TraceLine](
      failure.trace.map { step in
        var step = step
        if let call = CallTask(name: failure.threads[step.thread]) {
          step.thread = call.index + 1
        } else {
          let number = own[step.thread] ?? called + own.count
          own[step.thread] = number
          step.thread = number
        }
        return step
      })
  }
}

/// A task that makes a thread's calls, by its name in a trace.
struct CallTask {
  let index: Int

  init(index: Int) { self.index = index }

  init?(name: String) {
    guard name.hasPrefix(Self.prefix), let index = Int(name.dropFirst(Self.prefix.count)) else {
      return nil
    }
    self.index = index
  }

  private static let prefix = "thread "
  var name: String { Self.prefix + String(index) }
}

#if Interleaving
  /// Runs a scenario under the managed scheduler. Checks a recording as soon as its execution ends,
  /// and checks equal recordings only once.
  struct ScheduleRunner<Recorded: ExecutionRecording>: ExecutionRunner {
    /// Runs the scenario in an execution.
    let record: @Sendable (Execution) -> Recorded
    /// Checks a recording.
    let verdict: @Sendable (Recorded) -> ExecutionVerdict<Recorded>
    /// The time without a step after which an execution counts as hanging.
    var hangLimit = standardHangLimit
    /// The atomic operations that get another memory ordering in a replay.
    var weakened: [Weakening] = []

    /// Explores in child processes, so that a trap is a failure of the execution.
    ///
    /// - Parameter timeLimit: The time after which no further execution begins.
    func explore(_ plan: Exploration, timeLimit: Duration? = nil) -> Outcome {
      let check = MemoizedCheck(verdict)
      do {
        return try plan.runInChildren(timeLimit: timeLimit, hangLimit: hangLimit) { execution in
          let recorded = record(execution)
          if execution.hasBrokenPromise { return }
          if let violation = check.violation(in: recorded) {
            execution.fail(violation.summary)
          }
        }
      } catch {
        fatalError("fork failed: \(error); close other processes or raise ulimit -u")
      }
    }

    func replay(_ schedule: Schedule) -> ExecutionViolation<Recorded>? {
      let found = Monitor<ExecutionViolation<Recorded>?>(nil)
      let plan = Exploration(
        strategy: .replay(schedule), seed: 0, executions: 1, weakened: weakened)
      _ = plan.run { execution in
        if case .violation(let violation) = verdict(record(execution)) {
          found.change { $0 = violation }
        }
      }
      return found.read { $0 }
    }
  }
#endif

// Exploring a failing scenario again.
extension Exploration {
  /// Returns a failure that a search before `end` finds; `nil` if there is none. Searches depth
  /// first, which finds schedules with few switches, and then with the strategy of this plan.
  ///
  /// - Parameter explore: Explores the scenario.
  func failure(
    until end: ContinuousClock.Instant, exploring explore: (Exploration) -> Outcome
  ) -> FailedExecution? {
    for strategy in [.depthFirst(preemptionBound: 2), strategy] where ContinuousClock.now < end {
      var plan = self
      plan.strategy = strategy
      if let failure = explore(plan).failure { return failure }
    }
    return nil
  }

  /// Returns the failure with the fewest preemptions, at most three; `nil` if the search finds
  /// none.
  ///
  /// - Parameter explore: Explores the scenario.
  func failureWithFewestSwitches(exploring explore: (Exploration) -> Outcome) -> FailedExecution? {
    for bound in 0...3 {
      var plan = self
      plan.strategy = .depthFirst(preemptionBound: bound)
      plan.executions = 20_000
      if let failure = explore(plan).failure { return failure }
    }
    return nil
  }

  /// Returns a plan for all schedules in which one thread stops after one of its steps, and
  /// continues only after all others have ended. No thread is preempted. An exhausted search
  /// decides whether the threads are lock-free.
  package static func stoppingOneThread(executions: Int = 200_000) -> Exploration {
    Exploration(
      strategy: .depthFirst(preemptionBound: 0), seed: 0, executions: executions,
      memory: .sequentiallyConsistent, suspendsOneThread: true)
  }
}
