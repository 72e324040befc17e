import Interleaving
import Synchronization

#if Interleaving
  /// Runs a scenario under the managed scheduler. Checks a recording as soon as its execution ends,
  /// and checks equal recordings only once.
  struct ScheduleRunner<Recorded: ExecutionRecording>: Sendable {
    /// Runs the scenario in an execution.
    let record: @Sendable (Execution) -> Recorded
    /// Checks a recording.
    let verdict: @Sendable (Recorded) -> ExecutionVerdict<Recorded>
    /// The time without a step after which an execution counts as hanging.
    var hangLimit: Duration = .seconds(10)

    /// Explores in child processes, so that a trap is a failure of the execution.
    ///
    /// - Parameter timeLimit: The time after which no further execution begins.
    func explore(_ plan: Exploration, timeLimit: Duration? = nil) -> Outcome {
      let check = MemoizedCheck(verdict)
      do {
        return try plan.runInChildren(timeLimit: timeLimit, hangLimit: hangLimit) { execution in
          if let violation = check.violation(in: record(execution)) {
            execution.fail(violation.summary)
          }
        }
      } catch {
        preconditionFailure(
          "fork failed: \(error); close other processes or raise ulimit -u")
      }
    }

    /// Returns the violation of a failure. Replays a failed assertion in this process to get its
    /// recording. Does not replay other failures, which could end this process.
    func violation(
      _ failure: FailedExecution, weakened: [Weakening] = []
    ) -> ExecutionViolation<Recorded> {
      var violation = ExecutionViolation<Recorded>(.execution, failure.failure.description)
      if case .assertion = failure.failure, let recorded = replay(failure.schedule, weakened) {
        violation = recorded
      }
      violation.trace = [TraceLine](failure.trace)
      return violation
    }

    private func replay(
      _ schedule: Schedule, _ weakened: [Weakening]
    ) -> ExecutionViolation<Recorded>? {
      let found = Synchronization.Mutex<ExecutionViolation<Recorded>?>(nil)
      let plan = Exploration(
        strategy: .replay(schedule), seed: 0, executions: 1, weakened: weakened)
      _ = plan.run { execution in
        if case .violation(let violation) = verdict(record(execution)) {
          found.withLock { $0 = violation }
        }
      }
      return found.withLock { $0 }
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
