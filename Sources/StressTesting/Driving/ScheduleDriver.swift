import EpochReclamation
import Interleaving
import Synchronization

/// Runs a scenario of a subject that never suspends on virtual threads, under the managed scheduler.
///
/// Every execution has a collection and a reclamation domain of its own, so that what is not given back at
/// its end is a leak. Its history is checked at once; histories seen before are not checked again.
struct ScheduleDriver: Sendable {
  let subject: Subject
  let scenario: Scenario
  /// Reclaims all the time, so that what is reclaimed too early is found.
  var bagCapacity = 1
  private let check: RecordingCheck

  init(subject: Subject, scenario: Scenario) {
    self.subject = subject
    self.scenario = scenario
    check = RecordingCheck(scenario, isFenced: false)
  }

  #if Interleaving
    /// In child processes: a trap is an outcome too.
    func explore(_ plan: Exploration) -> Outcome {
      let check = MemoizedCheck(check)
      do {
        return try plan.runInChildren { execution in
          if let violation = check.violation(in: run(in: execution)) {
            execution.fail(violation.summary)
          }
        }
      } catch {
        preconditionFailure("the system starts no further process")
      }
    }

    /// Replays a failure in this process for what it recorded, unless that would end this process.
    func violation(_ failure: FailedExecution) -> Violation {
      var violation = Violation(.execution, failure.failure.description)
      if case .assertion = failure.failure, let recorded = replay(failure.schedule) {
        violation = recorded
      }
      // Thread 0 is the scenario itself, which makes everything before and takes it down after.
      violation.trace = failure.trace.filter { $0.thread > 0 }.map {
        // Its own text begins with its number, which counts the scenario too.
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
      let domain = EpochDomain(bagCapacity: bagCapacity, reportStall: { _ in })
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
      preconditionFailure("schedules need the trait Interleaving")
    }

    func violation(_ failure: FailedExecution) -> Violation {
      preconditionFailure("schedules need the trait Interleaving")
    }
  #endif
}
