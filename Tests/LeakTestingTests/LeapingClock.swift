import WeakCollections

@testable import LeakTesting

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
