import WeakCollections

/// Something that looks like a leak, and is looked at again until it does not or its grace is over.
///
/// No two of these run at once for one check.
protocol LeakCheck: Sendable {
  /// Of whose told checks only the last waits, since each tells of more than those before; nil if each does.
  var subject: CheckSubject? { get }

  /// What to report if it still looks like a leak, else nil.
  func look() -> LeakReport?

  /// Notes that it no longer looks like a leak.
  func dismiss()

  /// Notes that `found` is about to be reported; returns it with its state.
  func conclude(_ found: LeakReport) -> LeakReport

  /// What is to be checked next: what others left to this check, and it was decided before it saw that.
  func successor() -> Self?

  /// Notes that what was reported is gone, or is not waited for; returns false if it was forgotten.
  func resolve(_ told: LeakReport) -> Bool
}

/// What checks are about: a class or a group of them, as one of the counts has it.
struct CheckSubject: Hashable, Sendable {
  /// Those of that count.
  let suspicions: ObjectIdentifier
  let type: ObjectIdentifier
}

/// The checks of a monitor that wait for something to die, each in a task of its own.
///
/// A check is *undecided* while its grace lasts, *telling* while its report is under way, and *told* while
/// it waits for what it reported to be gone after all; then, or as soon as nothing looks like a leak any
/// more, it ends. Tasks inherit the values of the task that began the check, so that a report belongs to
/// the test whose object it is about.
///
/// Of the told checks of one subject only the last waits: it told of more than those before, and what they told
/// of cannot be gone before that is. They are *parked*, without a task, until it ends; so a class that grows
/// for ever has one task that waits.
final class RunningChecks: Sendable {
  let clock: PollingClock
  private let tell: @Sendable (LeakReport) -> Void
  private let state = MutexLock(State())

  init(clock: PollingClock, tell: @escaping @Sendable (LeakReport) -> Void) {
    self.clock = clock
    self.tell = tell
  }

  /// Begins a check, which may be the successor of another; returns its number.
  @discardableResult
  func begin(_ check: some LeakCheck, after predecessor: Int? = nil, grace: Duration) -> Int {
    // The task shall not keep the monitor, which at its end tells told checks to end: so not that value.
    MemoryLeakMonitor.$isolated.withValue(nil) {
      state.write { state in
        state.begun += 1
        let number = state.begun
        let origin = predecessor ?? number
        state.begin(from: origin)
        state.running[number] = Running(
          origin: origin, task: Task { await self.run(check, number, grace: grace) })
        return number
      }
    }
  }

  /// Ends a check: unless a report of it is under way, none will come, and after that one none either.
  func cancel(_ number: Int) {
    let (ended, woken) = state.write { state in
      guard let running = state.running[number] else {
        return (nil as Running?, [] as [CheckedContinuation<Void, Never>])
      }
      // One that is telling ends itself, when it sees that its task is cancelled.
      if running.phase != .telling { state.running[number] = nil }
      return (running, running.phase == .undecided ? state.decide(from: running.origin) : [])
    }
    ended?.task.cancel()
    for waiting in woken { waiting.resume() }
  }

  /// Returns once what has been begun is decided, with its successors, and the reports of that are made; not
  /// those of what ends late.
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

  /// Ends checks that have told, now and from now on; what is undecided will still be decided.
  func close() {
    let ended = state.write { state in
      state.isClosed = true
      return state.endTold()
    }
    for check in ended {
      check.task.cancel()
      // Who waits does so itself, when it sees that its task is cancelled.
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
      // As in `begin`.
      MemoryLeakMonitor.$isolated.withValue(nil) {
        Task { await self.wait(for: check, number, turn, told: report, grace: grace) }
      }
    } giveUp: {
      _ = check.resolve(report)
    }
    guard noteTold(number, of: check.subject, told) else { return told.giveUp() }
    await wait(for: check, number, 0, told: report, grace: grace)
  }

  /// Waits until what `check` told is gone, and ends it; does neither if it is parked before.
  private func wait(
    for check: some LeakCheck, _ number: Int, _ turn: Int, told report: LeakReport, grace: Duration
  ) async {
    let isGone = await isGone(check)
    // Whoever looked while it was being parked looks again when it is its turn.
    guard state.write({ $0.endWaiting(number, turn, of: check.subject) }) else { return }
    let isLate = check.resolve(report) && report.state.isFailure
    if isGone {
      // As many as were told may have come since the last look, and relied on this check.
      beginSuccessor(of: check, number, grace: grace)
      if isLate && claim(number) { tell(report.resolvedLate) }
    }
    end(number)
  }

  private func beginSuccessor(of check: some LeakCheck, _ number: Int, grace: Duration) {
    if let next = check.successor() { begin(next, after: number, grace: grace) }
  }

  /// What is found when grace is over; nil if there is nothing to report, or the check was cancelled.
  private func verdict(on check: some LeakCheck, grace duration: Duration) async -> LeakReport? {
    var grace = Grace(duration, from: clock.now())
    while (try? await clock.sleep(grace.interval)) != nil, let found = check.look() {
      if grace.poll(at: clock.now()) { return found }
    }
    return nil
  }

  /// Waits until `check` finds nothing; false if it was cancelled before.
  private func isGone(_ check: some LeakCheck) async -> Bool {
    while (try? await clock.sleep(Grace.longestGap)) != nil {
      if check.look() == nil { return true }
    }
    return false
  }

  /// Begins a report of a check; false if it was cancelled.
  private func claim(_ number: Int) -> Bool {
    state.write { state in
      guard state.running[number] != nil, !Task.isCancelled else { return false }
      state.running[number]?.phase = .telling
      return true
    }
  }

  /// Ends the first report of a check; returns whether to wait for what it reported to be gone.
  private func noteTold(_ number: Int, of subject: CheckSubject?, _ told: Told) -> Bool {
    let (isOpen, parked, ended, woken) = state.write { state in
      let isOpen = !state.isClosed
      state.running[number]?.phase = .told
      let woken = state.decide(from: state.running[number]?.origin ?? number)
      let parked = isOpen ? state.beginWaiting(number, of: subject, told) : nil
      let ended = isOpen ? nil : state.running.removeValue(forKey: number)
      return (isOpen, parked, ended, woken)
    }
    // Before anybody is woken, who may look how many wait.
    parked?.cancel()
    withExtendedLifetime(ended) {}
    for waiting in woken { waiting.resume() }
    return isOpen
  }

  /// Forgets a check, whose task is about to end.
  private func end(_ number: Int) {
    let (ended, woken) = state.write { state in
      let ended = state.running.removeValue(forKey: number)
      return (ended, ended?.phase == .undecided ? state.decide(from: ended?.origin ?? number) : [])
    }
    withExtendedLifetime(ended) {}
    for waiting in woken { waiting.resume() }
  }
}

extension RunningChecks {
  enum Phase { case undecided, telling, told, parked }

  struct Running {
    var phase = Phase.undecided
    /// The number of the check whose successor this is, else its own: who waits for that, waits for this.
    let origin: Int
    var task: Task<Void, Never>
    /// How it goes on once it has told.
    var told: Told?
    /// How often it was parked: tells the task that waits from the one that did before.
    var turn = 0
    /// The told check of the same subject that is parked for this one.
    var predecessor: Int?
  }

  /// How a told check goes on.
  struct Told: Sendable {
    /// Waits in a new task, whose turn it is.
    let wait: @Sendable (_ turn: Int) -> Task<Void, Never>
    /// Ends without waiting.
    let giveUp: @Sendable () -> Void
  }

  /// Who waits until what was begun by then is decided.
  struct Waiting {
    let last: Int
    var undecided: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  struct State {
    var running: [Int: Running] = [:]
    /// The told check of each subject that waits; the others are parked, each for the next.
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

    /// Whom to wake, since nothing they wait for is undecided any more.
    mutating func decide(from origin: Int) -> [CheckedContinuation<Void, Never>] {
      undecided -= 1
      for index in waiting.indices where origin <= waiting[index].last {
        waiting[index].undecided -= 1
      }
      defer { waiting.removeAll { $0.undecided == 0 } }
      return waiting.filter { $0.undecided == 0 }.map(\.continuation)
    }

    /// Has `number`, which has told, wait; returns the task that is to end, that of whoever waited so far.
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

    /// Ends that `number` waits, unless it is parked, and lets who is parked for it wait; returns whether it did.
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

    /// Ends all that have told; returns them.
    mutating func endTold() -> [Running] {
      let told = running.filter { $0.value.phase == .told || $0.value.phase == .parked }
      for number in told.keys { running[number] = nil }
      waiters = [:]
      return Array(told.values)
    }
  }
}
