import WeakCollections

/// The checks of a monitor that wait for something to die, each in a task of its own.
///
/// A check is *undecided* while its grace lasts, *telling* while its report is under way, and *told* while
/// it waits for what it reported to be gone after all; then, or as soon as nothing looks like a leak any
/// more, it ends. Tasks inherit the values of the task that began the check, so that a report belongs to
/// the test whose object it is about.
final class RunningChecks: Sendable {
  private enum Phase { case undecided, telling, told }

  private struct Running {
    var phase = Phase.undecided
    let task: Task<Void, Never>
  }

  private struct State {
    var running: [Int: Running] = [:]
    var begun = 0
    var undecided = 0
    var isClosed = false
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Whom to wake, since nothing is undecided any more.
    mutating func decide() -> [CheckedContinuation<Void, Never>] {
      undecided -= 1
      guard undecided == 0 else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }

  let clock: PollingClock
  private let tell: @Sendable (LeakReport) -> Void
  private let state = MutexLock(State())

  init(clock: PollingClock, tell: @escaping @Sendable (LeakReport) -> Void) {
    self.clock = clock
    self.tell = tell
  }

  /// Begins a check; returns its number.
  @discardableResult
  func begin(_ check: some LeakCheck, grace: Duration) -> Int {
    // The task shall not keep the monitor, which at its end tells told checks to end: so not that value.
    MemoryLeakMonitor.$isolated.withValue(nil) {
      state.write { state in
        state.begun += 1
        state.undecided += 1
        let number = state.begun
        state.running[number] = Running(task: Task { await self.run(check, number, grace: grace) })
        return number
      }
    }
  }

  /// Ends a check: unless its report is under way, none will come.
  func cancel(_ number: Int) {
    let (ended, woken) = state.write { state -> (Running?, [CheckedContinuation<Void, Never>]) in
      guard let running = state.running[number], running.phase != .telling else { return (nil, []) }
      state.running[number] = nil
      return (running, running.phase == .undecided ? state.decide() : [])
    }
    ended?.task.cancel()
    for waiting in woken { waiting.resume() }
  }

  /// Returns once nothing is undecided and all reports have been made.
  func settle() async {
    await withCheckedContinuation { continuation in
      let isSettled = state.write { state in
        if state.undecided > 0 { state.waiting.append(continuation) }
        return state.undecided == 0
      }
      if isSettled { continuation.resume() }
    }
  }

  /// Ends checks that have told, now and from now on; what is undecided will still be decided.
  func close() {
    let ended = state.write { state in
      state.isClosed = true
      let told = state.running.filter { $0.value.phase == .told }
      for number in told.keys { state.running[number] = nil }
      return told.values.map(\.task)
    }
    for task in ended { task.cancel() }
  }

  private func run(_ check: some LeakCheck, _ number: Int, grace: Duration) async {
    guard let found = await verdict(on: check, grace: grace), claim(number) else {
      check.dismiss()
      // Before this one ends, so that `settle` waits for both.
      if let next = check.successor() { begin(next, grace: grace) }
      return cancel(number)
    }
    let report = check.conclude(found)
    tell(report)
    if let next = check.successor() { begin(next, grace: grace) }
    let isGone = noteTold(number) ? await isGone(check) : false
    check.resolve(report)
    if isGone && report.state == .leaked { tell(report.resolvedLate) }
    cancel(number)
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

  /// Begins the report of a check; false if it was cancelled.
  private func claim(_ number: Int) -> Bool {
    state.write { state in
      guard state.running[number] != nil else { return false }
      state.running[number]?.phase = .telling
      return true
    }
  }

  /// Ends the report of a check; returns whether to wait for what it reported to be gone.
  private func noteTold(_ number: Int) -> Bool {
    let (isOpen, ended, woken) = state.write { state in
      let isOpen = !state.isClosed
      state.running[number]?.phase = .told
      let ended = isOpen ? nil : state.running.removeValue(forKey: number)
      return (isOpen, ended, state.decide())
    }
    withExtendedLifetime(ended) {}
    for waiting in woken { waiting.resume() }
    return isOpen
  }
}
