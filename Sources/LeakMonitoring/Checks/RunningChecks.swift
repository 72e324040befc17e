import WeakCollections

/// A suspected leak, which the monitor polls until a poll refutes it or its grace period ends.
///
/// `RunningChecks` never calls two methods of one check concurrently.
protocol LeakCheck: Sendable {
  /// The subject of the check, if its reported checks share one wait for late deallocations: then
  /// only the last reported check of the subject waits. Nil if the check waits by itself.
  var subject: CheckSubject? { get }

  /// Polls the object or the count; returns the report if there still seems to be a leak, else nil.
  func look() -> LeakReport?

  /// Ends the check because a poll found no leak, or because the check was cancelled.
  func dismiss()

  /// Decides the check because the monitor is about to report `found`; returns the report with its
  /// state.
  func conclude(_ found: LeakReport) -> LeakReport

  /// Returns a check for the validations that found an excess after the last poll of this check,
  /// and began no check of their own because of it; nil if there are none.
  func successor() -> Self?

  /// Forgets a report because its objects are deallocated, or because no task waits for their
  /// deallocation any more; returns false if the report was already forgotten.
  func resolve(_ report: LeakReport) -> Bool
}

/// The subject of checks: a class or a group, combined with what is counted: its validated
/// instances or its tokens.
struct CheckSubject: Hashable, Sendable {
  /// The identity of the `Suspicions` of validated instances, or of those of tokens.
  let suspicions: ObjectIdentifier
  let type: ObjectIdentifier
}

/// The running checks of a monitor, each of which waits in a task of its own for objects to be
/// deallocated.
///
/// 1. A check is *undecided* during its grace period, *reporting* during the call of the reporter,
///    and *reported* while it waits for a late deallocation of the objects that it reported. It
///    ends after the late deallocation, or earlier if a poll finds no leak.
/// 2. A task inherits the task-local values of the task that began the check. So the test that
///    created the reported object receives the report.
/// 3. Only the last reported check of a subject waits. It reported a higher count than the earlier
///    checks, so its excess disappears before theirs. Until it ends, the earlier checks are
///    *parked*: they have no task. So a class that grows indefinitely has one waiting task.
final class RunningChecks: Sendable {
  let clock: PollingClock
  private let startTask: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>
  private let report: @Sendable (LeakReport) -> Void
  private let state = MutexLock(State())

  /// Creates an empty collection of checks.
  ///
  /// - Parameters:
  ///   - clock: Measures grace periods.
  ///   - startTask: Starts the task of a check. The task inherits task-local values.
  ///   - report: Calls the reporter with a finding.
  init(
    clock: PollingClock,
    startTask: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never> = {
      operation in Task { await operation() }
    },
    report: @escaping @Sendable (LeakReport) -> Void
  ) {
    self.clock = clock
    self.startTask = startTask
    self.report = report
  }

  /// Begins a check, which may be the successor of another; returns its number.
  @discardableResult
  func begin(_ check: some LeakCheck, after predecessor: Int? = nil, grace: Duration) -> Int {
    state.write { state in
      state.begun += 1
      let number = state.begun
      let origin = predecessor ?? number
      state.begin(from: origin)
      state.running[number] = Running(
        origin: origin, task: startTask { await self.run(check, number, grace: grace) })
      return number
    }
  }

  /// Ends a check. If its report is already being made, that report completes; no other follows.
  func cancel(_ number: Int) {
    let (ended, woken) = state.write { state in
      guard let running = state.running[number] else {
        return (nil as Running?, [] as [CheckedContinuation<Void, Never>])
      }
      // A check that is reporting removes itself when it finds its task cancelled.
      if running.phase != .reporting { state.running[number] = nil }
      return (running, running.phase == .undecided ? state.decide(from: running.origin) : [])
    }
    ended?.task.cancel()
    for waiting in woken { waiting.resume() }
  }

  /// Suspends until the checks begun so far, and their successors, are decided and reported.
  ///
  /// It does not wait for late deallocations.
  func settle() async {
    await withCheckedContinuation { continuation in
      let isSettled = state.write { state in
        if state.undecided > 0 {
          state.waiting.append(
            Waiting(last: state.begun, undecided: state.undecided, continuation: continuation))
        }
        return state.undecided == 0
      }
      if isSettled { continuation.resume() }
    }
  }

  /// Ends the checks that are reported now, and each other check as soon as it is reported;
  /// undecided checks are still decided.
  func close() {
    let ended = state.write { state in
      state.isClosed = true
      return state.endReported()
    }
    for check in ended {
      check.task.cancel()
      // A waiting check forgets its report itself when it finds its task cancelled; a parked check
      // has no task.
      if check.phase == .parked { check.reported?.giveUp() }
    }
  }

  private func run(_ check: some LeakCheck, _ number: Int, grace: Duration) async {
    guard let found = await verdict(on: check, grace: grace), claim(number) else {
      check.dismiss()
      // Begins the successor before this check ends, so that `settle` waits for both.
      beginSuccessor(of: check, number, grace: grace)
      return end(number)
    }
    let report = check.conclude(found)
    self.report(report)
    beginSuccessor(of: check, number, grace: grace)
    let reported = Reported { turn in
      self.startTask {
        await self.wait(for: check, number, turn, reported: report, grace: grace)
      }
    } giveUp: {
      _ = check.resolve(report)
    }
    guard noteReported(number, of: check.subject, reported) else { return reported.giveUp() }
    await wait(for: check, number, 0, reported: report, grace: grace)
  }

  /// Suspends until the objects that `check` reported are deallocated, and then ends the check;
  /// returns early if the check is parked.
  private func wait(
    for check: some LeakCheck, _ number: Int, _ turn: Int, reported report: LeakReport,
    grace: Duration
  ) async {
    let isGone = await isGone(check)
    // A check that was parked meanwhile polls again when its turn comes.
    guard state.write({ $0.endWaiting(number, turn, of: check.subject) }) else { return }
    let isLate = check.resolve(report) && report.state.isFailure
    if isGone {
      // Since the last poll, validations may have begun no check because of this one.
      beginSuccessor(of: check, number, grace: grace)
      if isLate && claim(number) { self.report(report.resolvedLate) }
    }
    end(number)
  }

  private func beginSuccessor(of check: some LeakCheck, _ number: Int, grace: Duration) {
    if let next = check.successor() { begin(next, after: number, grace: grace) }
  }

  /// Suspends for the grace period and returns the finding; nil if a poll found no leak or the
  /// check was cancelled.
  private func verdict(on check: some LeakCheck, grace duration: Duration) async -> LeakReport? {
    var grace = Grace(duration, from: clock.now())
    while (try? await clock.sleep(grace.interval)) != nil, let found = check.look() {
      if grace.poll(at: clock.now()) { return found }
    }
    return nil
  }

  /// Suspends until a poll finds no leak; returns false if the check was cancelled.
  private func isGone(_ check: some LeakCheck) async -> Bool {
    while (try? await clock.sleep(Grace.longestGap)) != nil {
      if check.look() == nil { return true }
    }
    return false
  }

  /// Marks a check as reporting; returns false if the check was cancelled.
  private func claim(_ number: Int) -> Bool {
    state.write { state in
      guard state.running[number] != nil, !Task.isCancelled else { return false }
      state.running[number]?.phase = .reporting
      return true
    }
  }

  /// Marks a check as reported; returns whether to wait for a late deallocation.
  private func noteReported(_ number: Int, of subject: CheckSubject?, _ reported: Reported) -> Bool
  {
    let (isOpen, parked, ended, woken) = state.write { state in
      let isOpen = !state.isClosed
      state.running[number]?.phase = .reported
      let woken = state.decide(from: state.running[number]?.origin ?? number)
      let parked = isOpen ? state.beginWaiting(number, of: subject, reported) : nil
      let ended = isOpen ? nil : state.running.removeValue(forKey: number)
      return (isOpen, parked, ended, woken)
    }
    // Cancels the parked task before any task that waits in `settle` resumes, because that task may
    // count the tasks of checks.
    parked?.cancel()
    withExtendedLifetime(ended) {}
    for waiting in woken { waiting.resume() }
    return isOpen
  }

  /// Removes a check whose task is about to end.
  private func end(_ number: Int) {
    let (ended, woken) = state.write { state in
      let ended = state.running.removeValue(forKey: number)
      return (ended, ended?.phase == .undecided ? state.decide(from: ended?.origin ?? number) : [])
    }
    withExtendedLifetime(ended) {}
    for waiting in woken { waiting.resume() }
  }
}

// MARK: - Grace

/// A grace period, in which each poll may refute the suspected leak.
///
/// It ends after its duration *and* a minimum number of polls, because time alone says little on a
/// busy machine. A long gap between two polls means that the process did not run, for instance in a
/// debugger. The code that would have released the object did not run either, so the period starts
/// again.
package struct Grace: Sendable {
  static let leastPolls = 20
  static let longestGap: Duration = .seconds(1)

  private let duration: Duration
  private let start: Duration
  private var lastPoll: Duration
  private var polls = 0

  /// Creates a grace period that starts at `now`.
  ///
  /// - Parameters:
  ///   - duration: The minimum duration of the period.
  ///   - now: The current time, measured from an origin that is the same for all calls.
  package init(_ duration: Duration, from now: Duration) {
    self.duration = duration
    start = now
    lastPoll = now
  }

  /// The time between polls: a 20th of the duration, but at least 1 ms and at most a quarter of the
  /// longest gap.
  package var interval: Duration {
    max(.milliseconds(1), min(duration / Self.leastPolls, Self.longestGap / 4))
  }

  /// Counts a poll that found the leak; returns whether the period is over, or restarts the period
  /// after a long gap.
  package mutating func poll(at now: Duration) -> Bool {
    guard now - lastPoll <= Self.longestGap else {
      self = Grace(duration, from: now)
      return false
    }
    lastPoll = now
    polls += 1
    return polls >= Self.leastPolls && now - start >= duration
  }
}

// MARK: - State

extension RunningChecks {
  private enum Phase { case undecided, reporting, reported, parked }

  private struct Running {
    var phase = Phase.undecided
    /// The number of the first check in the chain of successors to which this check belongs. A task
    /// in `settle` that waits for that first check also waits for this one.
    let origin: Int
    var task: Task<Void, Never>
    /// How the check continues after its report; nil before.
    var reported: Reported?
    /// The number of times that the check was parked, which distinguishes its current task from the
    /// earlier, cancelled ones.
    var turn = 0
    /// The number of the reported check of the same subject that is parked until this one ends.
    var predecessor: Int?
  }

  /// How a reported check continues.
  private struct Reported: Sendable {
    /// Starts a task that waits during the given turn.
    let wait: @Sendable (_ turn: Int) -> Task<Void, Never>
    /// Forgets the report instead of waiting.
    let giveUp: @Sendable () -> Void
  }

  /// A task in `settle`, which waits until the checks that began before it are decided.
  private struct Waiting {
    let last: Int
    var undecided: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var running: [Int: Running] = [:]
    /// The number of the waiting check of each subject. The subject's other reported checks are
    /// parked, each until the check reported after it ends.
    private var waiters: [CheckSubject: Int] = [:]
    var begun = 0
    var undecided = 0
    var isClosed = false
    var waiting: [Waiting] = []

    mutating func begin(from origin: Int) {
      undecided += 1
      for index in waiting.indices where origin <= waiting[index].last {
        waiting[index].undecided += 1
      }
    }

    /// Counts a decision; returns the waiting tasks that have no undecided check left.
    mutating func decide(from origin: Int) -> [CheckedContinuation<Void, Never>] {
      undecided -= 1
      for index in waiting.indices where origin <= waiting[index].last {
        waiting[index].undecided -= 1
      }
      defer { waiting.removeAll { $0.undecided == 0 } }
      return waiting.filter { $0.undecided == 0 }.map(\.continuation)
    }

    /// Makes the reported check `number` the waiting one of its subject, and parks the former one;
    /// returns the task of the former one, which the caller cancels.
    mutating func beginWaiting(
      _ number: Int, of subject: CheckSubject?, _ reported: Reported
    ) -> Task<Void, Never>? {
      running[number]?.reported = reported
      guard let subject, let former = waiters.updateValue(number, forKey: subject)
      else { return nil }
      running[number]?.predecessor = former
      running[former]?.phase = .parked
      running[former]?.turn += 1
      return running[former]?.task
    }

    /// Ends the wait of `number` and resumes the check that was parked for it; returns false and
    /// does nothing if the check was parked during `turn`.
    mutating func endWaiting(_ number: Int, _ turn: Int, of subject: CheckSubject?) -> Bool {
      guard let check = running[number] else { return true }
      guard check.turn == turn else { return false }
      guard let subject else { return true }
      waiters[subject] = check.predecessor
      if let next = check.predecessor, let parked = running[next] {
        running[next]!.phase = .reported
        running[next]!.task = parked.reported!.wait(parked.turn)
      }
      return true
    }

    /// Removes and returns all reported checks.
    mutating func endReported() -> [Running] {
      let reported = running.filter { $0.value.phase == .reported || $0.value.phase == .parked }
      for number in reported.keys { running[number] = nil }
      waiters = [:]
      return Array(reported.values)
    }
  }
}
