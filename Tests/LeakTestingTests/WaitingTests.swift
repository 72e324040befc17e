import Testing
import WeakCollections

@testable import LeakTesting

@Suite struct WaitingTests {
  private let cycles = Cycles()

  @Test func `what is gone is not waited for`() async {
    let clock = LeapingClock()
    clock.run { withLeakScope { _ = track(Screen()) } }
    await clock.run { await withLeakScope { _ = track(Screen()) } }
    #expect(clock.waited.isEmpty)
  }

  @Test func `a late release is no leak, and waiting ends with it`() async {
    let clock = LeapingClock { [cycles] number in
      if number % 3 == 0 { cycles.letGo() }
    }
    clock.run { withLeakScope { _ = track(cycles.make()) } }
    #expect(clock.waited == [.milliseconds(1), .milliseconds(2), .milliseconds(4)])
    await clock.run { await withLeakScope { _ = track(cycles.make()) } }
    #expect(clock.waited.count == 6)
  }

  @Test func `a survivor has its time, and twenty looks`() async {
    let (long, short) = (LeapingClock(), LeapingClock())
    await withKnownIssue {
      await long.run { await withLeakScope(within: .seconds(5)) { _ = track(cycles.make()) } }
      short.run { withLeakScope(within: .zero) { _ = track(cycles.make()) } }
    }
    #expect(long.now >= .seconds(5) && long.now < .seconds(6))
    #expect(short.waited == Array(repeating: .milliseconds(1), count: 19))
  }

  @Test @MainActor func `what suspends lets the main actor work`() async {
    await withLeakScope(within: .seconds(600)) {
      let screen = track(cycles.make())
      Task { @MainActor in screen.letGo() }
    }
  }

  @Test func `a cancelled task waits as well`() async {
    let clock = LeapingClock { [cycles] number in
      if number == 5 { cycles.letGo() }
    }
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await clock.run { await withLeakScope { _ = track(cycles.make()) } }
    }.value
    #expect(clock.waited.count == 5)
  }

  @Test func `the system's clock sleeps in cancelled tasks too, and pumps`() async {
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

/// A clock for whose waits nobody waits: it leaps to their end, and does then what it was told to.
final class LeapingClock: Sendable {
  private let time = MutexLock(Duration.zero)
  private let pauses = MutexLock([Duration]())
  private let onPause: @Sendable (Int) -> Void

  /// - Parameter onPause: called at each wait, with its number from 1 on.
  init(onPause: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.onPause = onPause
  }

  var now: Duration { time.read { $0 } }
  /// How long each wait was.
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

  /// Runs `body` with this as the clock of waits.
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
