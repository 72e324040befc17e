import LeakMonitoring
import WeakCollections

/// A clock that advances only when a test moves it, so that no test waits for real time.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private struct Sleeper {
    let number: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var begun = 0
    var sleepers: [Sleeper] = []
    var waiters = Waiters()
  }

  private let state = MutexLock(State())

  var now: Instant { state.read { $0.now } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.write { state in
      state.begun += 1
      return state.begun
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(Sleeper(number: number, deadline: deadline, continuation: continuation))
      }
    } onCancel: {
      cancel(number)
    }
  }

  /// Advances the time, but wakes no task.
  func advance(by duration: Duration) {
    state.write { $0.now = $0.now.advanced(by: duration) }
  }

  /// The number of sleeping tasks.
  var sleeperCount: Int { state.read { $0.sleepers.count } }

  /// Suspends until `count` tasks sleep, so that they have done what they were woken for.
  func rest(sleepers count: Int = 1) async {
    await withCheckedContinuation { continuation in
      change { $0.waiters.add(continuation, for: count) }
    }
  }

  /// Suspends until `sleepers` tasks sleep, advances the time to the earliest deadline plus
  /// `delay`, and wakes all tasks whose deadline has passed.
  func tick(sleepers count: Int = 1, delay: Duration = .zero) async {
    await rest(sleepers: count)
    wake(delay: delay)
  }

  /// Advances the time to the earliest deadline plus `delay`, and wakes all tasks whose deadline
  /// has passed; does nothing if no task sleeps.
  func wake(delay: Duration = .zero) {
    let woken = state.write { state in
      guard let earliest = state.sleepers.map(\.deadline).min() else { return [Sleeper]() }
      state.now = max(state.now, earliest).advanced(by: delay)
      let woken = state.sleepers.filter { $0.deadline <= state.now }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Calls `tick` `times` times.
  func tick(_ times: Int, sleepers count: Int = 1) async {
    for _ in 0..<times { await tick(sleepers: count) }
  }

  private func add(_ sleeper: Sleeper) {
    let isCancelled = change { state in
      // Read under the lock: if the task is cancelled later, `cancel` finds the sleeper.
      guard !Task.isCancelled else { return true }
      state.sleepers.append(sleeper)
      return false
    }
    if isCancelled { sleeper.continuation.resume(throwing: CancellationError()) }
  }

  private func cancel(_ number: Int) {
    let sleeper = state.write { state in
      let index = state.sleepers.firstIndex { $0.number == number }
      return index.map { state.sleepers.remove(at: $0) }
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }

  private func change<R>(_ body: (inout State) -> R) -> R {
    let (result, ready) = state.write { state in
      let result = body(&state)
      return (result, state.waiters.take(at: state.sleepers.count))
    }
    for waiter in ready { waiter.resume() }
    return result
  }
}

/// Returns a monitor with the reporter and the clock that its test uses.
func makeClockedMonitor() -> (
  monitor: MemoryLeakMonitor, leaks: CollectedLeaks, clock: ManualClock
) {
  let (leaks, clock) = (CollectedLeaks(), ManualClock())
  let monitor = MemoryLeakMonitor(backend: .lockFree, clock: clock)
  monitor.reporter = leaks
  return (monitor, leaks, clock)
}

/// A reporter that stores its reports.
final class CollectedLeaks: LeakReporter {
  private struct State {
    var leaks: [LeakReport] = []
    var waiters = Waiters()
  }

  private let state = MutexLock(State())

  func report(_ leak: LeakReport) {
    change { $0.leaks.append(leak) }
  }

  var all: [LeakReport] { state.read { $0.leaks } }

  /// Suspends until there are `count` reports; returns all reports.
  func first(_ count: Int) async -> [LeakReport] {
    await withCheckedContinuation { continuation in
      change { $0.waiters.add(continuation, for: count) }
    }
    return all
  }

  private func change(_ body: (inout State) -> Void) {
    let ready = state.write { state in
      body(&state)
      return state.waiters.take(at: state.leaks.count)
    }
    for waiter in ready { waiter.resume() }
  }
}

/// Tasks that wait until a count is reached.
struct Waiters {
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  mutating func add(_ continuation: CheckedContinuation<Void, Never>, for count: Int) {
    waiting.append((count, continuation))
  }

  /// Removes and returns the tasks that wait for at most `count`, to be resumed outside locks.
  mutating func take(at count: Int) -> [CheckedContinuation<Void, Never>] {
    let ready = waiting.filter { $0.count <= count }
    waiting.removeAll { $0.count <= count }
    return ready.map(\.continuation)
  }
}

/// Suspends until the task is cancelled, then throws `CancellationError`.
func forever() async throws {
  let (stream, end) = AsyncStream.makeStream(of: Never.self)
  await withTaskCancellationHandler {
    for await _ in stream {}
  } onCancel: {
    end.finish()
  }
  throw CancellationError()
}

extension Result where Failure == any Error {
  /// Whether it is a `CancellationError`.
  var isCancelled: Bool {
    if case .failure(let error) = self { error is CancellationError } else { false }
  }
}
