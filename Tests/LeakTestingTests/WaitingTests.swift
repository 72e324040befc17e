import Testing
import WeakCollections

@testable import LeakTesting

@Suite struct WaitingTests {
  private let cycles = Cycles()

  @Test func `a deallocated object is not waited for`() async {
    let clock = LeapingClock()
    clock.run { withLeakScope { _ = track(Screen()) } }
    await clock.run { await withLeakScope { _ = track(Screen()) } }
    #expect(clock.waited.isEmpty)
  }

  @Test func `a late deallocation is no leak, and ends the wait`() async {
    let clock = LeapingClock { [cycles] number in
      if number % 3 == 0 { cycles.breakCycles() }
    }
    clock.run { withLeakScope { _ = track(cycles.make()) } }
    #expect(clock.waited == [.milliseconds(1), .milliseconds(2), .milliseconds(4)])
    await clock.run { await withLeakScope { _ = track(cycles.make()) } }
    #expect(clock.waited.count == 6)
  }

  @Test func `a survivor is polled for the whole grace period, and at least twenty times`() async {
    let (long, short) = (LeapingClock(), LeapingClock())
    await withKnownIssue {
      await long.run { await withLeakScope(within: .seconds(5)) { _ = track(cycles.make()) } }
      short.run { withLeakScope(within: .zero) { _ = track(cycles.make()) } }
    }
    #expect(long.now >= .seconds(5) && long.now < .seconds(6))
    #expect(short.waited == Array(repeating: .milliseconds(1), count: 19))
  }

  @Test @MainActor func `a suspending scope lets the main actor run other tasks`() async {
    await withLeakScope(within: .seconds(600)) {
      let screen = track(cycles.make())
      Task { @MainActor in screen.breakCycles() }
    }
  }

  @Test func `a cancelled task waits too`() async {
    let clock = LeapingClock { [cycles] number in
      if number == 5 { cycles.breakCycles() }
    }
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await clock.run { await withLeakScope { _ = track(cycles.make()) } }
    }.value
    #expect(clock.waited.count == 5)
  }

  @Test func `the system clock sleeps in cancelled tasks too, and runs the run loop`() async {
    let clock = WaitingClock.continuous
    let start = clock.now()
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await clock.sleep(.milliseconds(20))
    }.value
    #expect(clock.now() - start >= .milliseconds(20))
    pump(clock)
    #expect(clock.now() - start >= .milliseconds(40))
  }

  private func pump(_ clock: WaitingClock) { clock.pump(.milliseconds(20)) }
}

/// A clock that jumps to the end of each wait, so that no test waits for real time, and then calls
/// `onPause`.
final class LeapingClock: Sendable {
  private let time = MutexLock(Duration.zero)
  private let pauses = MutexLock([Duration]())
  private let onPause: @Sendable (Int) -> Void

  /// - Parameter onPause: Called after each wait, with its number, which starts at 1.
  init(onPause: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.onPause = onPause
  }

  var now: Duration { time.read { $0 } }
  /// The duration of each wait.
  var waited: [Duration] { pauses.read { $0 } }

  private func leap(_ duration: Duration) {
    time.write { $0 += duration }
    let number = pauses.write { pauses in
      pauses.append(duration)
      return pauses.count
    }
    onPause(number)
  }

  private var asWaitingClock: WaitingClock {
    WaitingClock(now: { self.now }, sleep: { self.leap($0) }, pump: { self.leap($0) })
  }

  /// Runs `body`, whose waits use this clock.
  func run<R>(_ body: () throws -> R) rethrows -> R {
    try WaitingClock.$current.withValue(asWaitingClock, operation: body)
  }

  func run<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
  ) async rethrows -> R {
    try await WaitingClock.$current.withValue(
      asWaitingClock, operation: body, isolation: isolation)
  }
}
