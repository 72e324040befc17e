import WeakCollections

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
