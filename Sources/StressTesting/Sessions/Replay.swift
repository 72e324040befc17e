import Interleaving
import WeakCollections

/// Repeats the execution that a replay string describes, with one subject.
package struct Replay: Sendable {
  package let subject: Subject
  private let replay: ReplayString
  private let schedule: Schedule?

  /// Creates a replay.
  ///
  /// - Throws: An error if the replay string does not fit the subject, or this build cannot run it.
  package init(_ replay: ReplayString, on subject: Subject) throws(ReplayError) {
    self.subject = subject
    self.replay = replay
    guard replay.scenario.collection == subject.collection else {
      throw .malformed(
        "expected a scenario of a \(subject.collection.rawValue), "
          + "got one of a \(replay.scenario.collection.rawValue)")
    }
    switch replay.run {
    case .threads: schedule = nil
    case .schedule(let text):
      do {
        schedule = try Schedule(parsing: text)
      } catch {
        throw .malformed("\(error)")
      }
    }
    guard driver.supports(subject) else { throw .unsupported(driver) }
  }

  /// The driver that runs the scenario.
  package var driver: StressDriver { schedule == nil ? .threads : .schedules }

  /// Repeats the scenario. Under a schedule, which determines the execution, it runs once; on real
  /// threads, it runs until it fails or until `end`.
  ///
  /// - Parameters:
  ///   - end: The end of the repetitions on real threads.
  ///   - announce: A closure that this method calls before it runs the scenario on real threads.
  /// - Returns: The counts, and the finding if the scenario failed.
  /// - Throws: `ReplayError.misfit` if the schedule was recorded with other code.
  package func run(
    until end: ContinuousClock.Instant, announce: @escaping @Sendable (ReplayString) -> Void
  ) async throws(ReplayError) -> (tally: StressTally, finding: Finding?) {
    guard let schedule else { return await runOnThreads(until: end, announce) }
    var trial = ScheduleTrial(subject: subject, seed: 0, strategy: .replay(schedule))
    trial.suspendsOneThread = schedule.decisions.contains { decision in
      if case .suspend = decision { true } else { false }
    }
    let (tally, failure) = trial.run(replay.scenario)
    if case .scheduleMismatch(let decision) = failure?.failure { throw .misfit(decision: decision) }
    return (tally, failure.map { finding(trial.violation($0, of: replay.scenario)) })
  }

  private func runOnThreads(
    until end: ContinuousClock.Instant, _ announce: @escaping @Sendable (ReplayString) -> Void
  ) async -> (tally: StressTally, finding: Finding?) {
    guard case .threads(let seed) = replay.run else { return (StressTally(), nil) }
    var total = StressTally()
    var repetition: UInt64 = 0
    repeat {
      var trial = ThreadTrial(subject: subject, seed: seed)
      trial.announce = announce
      let (tally, violation) = await trial.run(replay.scenario, repetition: repetition)
      total += tally
      if let violation { return (total, finding(violation)) }
      repetition += 1
    } while ContinuousClock.now < end
    return (total, nil)
  }

  private func finding(_ violation: Violation) -> Finding {
    Finding(
      subject: subject.name, scenario: replay.scenario, violation: violation, replay: replay)
  }
}
