import WeakCollections

/// A suspected leak, which the monitor looks at repeatedly until it is refuted or its grace period
/// ends.
///
/// `RunningChecks` never calls two methods of one check concurrently.
protocol LeakCheck: Sendable {
  /// The subject of which only the last reported check waits, since it reports more than those
  /// before; nil if each check waits.
  var subject: CheckSubject? { get }

  /// Returns the report if the object still looks leaked, else nil.
  func look() -> LeakReport?

  /// Ends the check because its object no longer looks leaked.
  func dismiss()

  /// Ends the check because `found` is about to be reported; returns it with its state.
  func conclude(_ found: LeakReport) -> LeakReport

  /// Returns the next check: of instances that relied on this check after its last look.
  func successor() -> Self?

  /// Forgets a report because its objects are gone, or nothing waits for that; returns false if it
  /// was forgotten already.
  func resolve(_ told: LeakReport) -> Bool
}

/// The subject of checks: a class or a group of classes, in one of the two kinds of counts.
struct CheckSubject: Hashable, Sendable {
  /// The identity of the count's `Suspicions`.
  let suspicions: ObjectIdentifier
  let type: ObjectIdentifier
}

/// The checks of a monitor that wait for objects to be deallocated, each in a task of its own.
///
/// 1. A check is *undecided* during its grace period, *telling* while its report is under way,
///    and *told* while it waits for a late deallocation of the objects that it reported. It ends
///    then, or as soon as nothing looks leaked any more.
/// 2. Tasks inherit the task-local values of the task that began the check, so a report belongs
///    to the test whose object it is about.
/// 3. Of the told checks of one subject only the last waits: it reported more than those before
///    it, and their objects cannot be gone before its own are. The others are *parked*, without a
///    task, until it ends. So a class that grows indefinitely has one waiting task.
final class RunningChecks: Sendable {
  let clock: PollingClock
  private let startTask: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>
  private let tell: @Sendable (LeakReport) -> Void
  private let state = MutexLock(State())

  /// - Parameters:
  ///   - startTask: Starts the task of a check, which inherits task-local values.
  ///   - tell: Reports a finding.
  init(
    clock: PollingClock,
    startTask: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never> = {
      operation in Task { await operation() }
    },
    tell: @escaping @Sendable (LeakReport) -> Void
  ) {
    self.clock = clock
    self.startTask = startTask
    self.tell = tell
  }

  /// Begins a check, which may be the successor of another; returns the number of the new check.
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

  /// Ends a check. A report that is under way completes; no other follows.
  func cancel(_ number: Int) {
    let (ended, woken) = state.write { state in
      guard let running = state.running[number] else {
        return (nil as Running?, [] as [CheckedContinuation<Void, Never>])
      }
      // A telling check ends itself when it finds its task cancelled.
      if running.phase != .telling { state.running[number] = nil }
      return (running, running.phase == .undecided ? state.decide(from: running.origin) : [])
    }
    ended?.task.cancel()
    for waiting in woken { waiting.resume() }
  }

  /// Returns when the checks begun so far, and their successors, are decided and reported. It does
  /// not wait for late deallocations.
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

  /// Ends the told checks, now and from now on; undecided checks are still decided.
  func close() {
    let ended = state.write { state in
      state.isClosed = true
      return state.endTold()
    }
    for check in ended {
      check.task.cancel()
      // A waiting check does so itself when it finds its task cancelled.
      if check.phase == .parked { check.told?.giveUp() }
    }
  }

  private func run(_ check: some LeakCheck, _ number: Int, grace: Duration) async {
    guard let found = await verdict(on: check, grace: grace), claim(number) else {
      check.dismiss()
      // Before this one ends, so that `settle` waits for both.
      beginSuccessor(of: check, number, grace: grace)
      return end(number)
    }
    let report = check.conclude(found)
    tell(report)
    beginSuccessor(of: check, number, grace: grace)
    let told = Told { turn in
      self.startTask {
        await self.wait(for: check, number, turn, told: report, grace: grace)
      }
    } giveUp: {
      _ = check.resolve(report)
    }
    guard noteTold(number, of: check.subject, told) else { return told.giveUp() }
    await wait(for: check, number, 0, told: report, grace: grace)
  }

  /// Waits until the objects that `check` reported are gone, and ends it; returns early if it is
  /// parked.
  private func wait(
    for check: some LeakCheck, _ number: Int, _ turn: Int, told report: LeakReport, grace: Duration
  ) async {
    let isGone = await isGone(check)
    // A check that was parked meanwhile looks again when its turn comes.
    guard state.write({ $0.endWaiting(number, turn, of: check.subject) }) else { return }
    let isLate = check.resolve(report) && report.state.isFailure
    if isGone {
      // New instances may have relied on this check since its last look.
      beginSuccessor(of: check, number, grace: grace)
      if isLate && claim(number) { tell(report.resolvedLate) }
    }
    end(number)
  }

  private func beginSuccessor(of check: some LeakCheck, _ number: Int, grace: Duration) {
    if let next = check.successor() { begin(next, after: number, grace: grace) }
  }

  /// Returns the finding at the end of the grace period; nil if there is none or the check was
  /// cancelled.
  private func verdict(on check: some LeakCheck, grace duration: Duration) async -> LeakReport? {
    var grace = Grace(duration, from: clock.now())
    while (try? await clock.sleep(grace.interval)) != nil, let found = check.look() {
      if grace.poll(at: clock.now()) { return found }
    }
    return nil
  }

  /// Waits until `check` finds nothing; returns false if it was cancelled.
  private func isGone(_ check: some LeakCheck) async -> Bool {
    while (try? await clock.sleep(Grace.longestGap)) != nil {
      if check.look() == nil { return true }
    }
    return false
  }

  /// Begins a report of a check; returns false if it was cancelled.
  private func claim(_ number: Int) -> Bool {
    state.write { state in
      guard state.running[number] != nil, !Task.isCancelled else { return false }
      state.running[number]?.phase = .telling
      return true
    }
  }

  /// Ends the first report of a check; returns whether to wait for a late deallocation.
  private func noteTold(_ number: Int, of subject: CheckSubject?, _ told: Told) -> Bool {
    let (isOpen, parked, ended, woken) = state.write { state in
      let isOpen = !state.isClosed
      state.running[number]?.phase = .told
      let woken = state.decide(from: state.running[number]?.origin ?? number)
      let parked = isOpen ? state.beginWaiting(number, of: subject, told) : nil
      let ended = isOpen ? nil : state.running.removeValue(forKey: number)
      return (isOpen, parked, ended, woken)
    }
    // Before any waiter resumes, which may count the waiting tasks.
    parked?.cancel()
    withExtendedLifetime(ended) {}
    for waiting in woken { waiting.resume() }
    return isOpen
  }

  /// Forgets a check whose task is about to end.
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

/// A grace period, in which a suspected leak may still be refuted.
///
/// It ends when its duration has passed *and* it was polled often enough: on a busy machine, time
/// alone says little. A long gap between two polls means that the process did not run, for instance
/// in a debugger, and neither did the code that would have released the object; then the period
/// starts again.
package struct Grace: Sendable {
  static let leastPolls = 20
  static let longestGap: Duration = .seconds(1)

  private let duration: Duration
  private let start: Duration
  private var lastPoll: Duration
  private var polls = 0

  /// - Parameter now: The time since some origin, the same for all calls.
  package init(_ duration: Duration, from now: Duration) {
    self.duration = duration
    start = now
    lastPoll = now
  }

  /// The time between polls: 20 polls in the duration, and well below the longest gap.
  package var interval: Duration {
    max(.milliseconds(1), min(duration / Self.leastPolls, Self.longestGap / 4))
  }

  /// Counts a poll that found the leak still there; returns whether the period is over.
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
  private enum Phase { case undecided, telling, told, parked }

  private struct Running {
    var phase = Phase.undecided
    /// The number of the first check in this chain of successors: a task that waits for that one
    /// waits for this one too.
    let origin: Int
    var task: Task<Void, Never>
    /// How the check continues after its report.
    var told: Told?
    /// How often the check was parked: distinguishes the task that waits from an earlier one.
    var turn = 0
    /// The told check of the same subject that is parked until this one ends.
    var predecessor: Int?
  }

  /// How a told check continues.
  private struct Told: Sendable {
    /// Waits in a new task for this turn.
    let wait: @Sendable (_ turn: Int) -> Task<Void, Never>
    /// Ends without waiting.
    let giveUp: @Sendable () -> Void
  }

  /// A task that waits until the checks begun before it are decided.
  private struct Waiting {
    let last: Int
    var undecided: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var running: [Int: Running] = [:]
    /// The told check of each subject that waits; the others are parked, each until the next ends.
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

    /// Counts a decision; returns the tasks that wait for nothing undecided any more.
    mutating func decide(from origin: Int) -> [CheckedContinuation<Void, Never>] {
      undecided -= 1
      for index in waiting.indices where origin <= waiting[index].last {
        waiting[index].undecided -= 1
      }
      defer { waiting.removeAll { $0.undecided == 0 } }
      return waiting.filter { $0.undecided == 0 }.map(\.continuation)
    }

    /// Makes the told check `number` the one that waits; returns the task of the one that waited so
    /// far, to cancel it.
    mutating func beginWaiting(
      _ number: Int, of subject: CheckSubject?, _ told: Told
    ) -> Task<Void, Never>? {
      running[number]?.told = told
      guard let subject, let former = waiters.updateValue(number, forKey: subject)
      else { return nil }
      running[number]?.predecessor = former
      running[former]?.phase = .parked
      running[former]?.turn += 1
      return running[former]?.task
    }

    /// Ends the wait of `number`, unless it is parked, and resumes its predecessor; returns whether
    /// it did.
    mutating func endWaiting(_ number: Int, _ turn: Int, of subject: CheckSubject?) -> Bool {
      guard let check = running[number] else { return true }
      guard check.turn == turn else { return false }
      guard let subject else { return true }
      waiters[subject] = check.predecessor
      if let next = check.predecessor, let parked = running[next] {
        running[next]!.phase = .told
        running[next]!.task = parked.told!.wait(parked.turn)
      }
      return true
    }

    /// Removes and returns all told checks.
    mutating func endTold() -> [Running] {
      let told = running.filter { $0.value.phase == .told || $0.value.phase == .parked }
      for number in told.keys { running[number] = nil }
      waiters = [:]
      return Array(told.values)
    }
  }
}
