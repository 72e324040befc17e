/// When `validate` reports an excess, unless its own `grace` says.
public enum LeakPolicy: Sendable, Equatable {
  /// Immediately. An instance that is about to be released counts: in `x = C()` the old one is
  /// still alive while the new one is initialized.
  case immediate

  /// If there are still too many at the end of a grace period: see `MemoryLeakMonitor.validate`.
  case graced(Duration = .seconds(1))

  /// The grace period; nil if there is none.
  var grace: Duration? {
    switch self {
    case .immediate: nil
    case .graced(let duration): duration
    }
  }
}

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

/// A type-erased clock with what grace periods need.
struct PollingClock: Sendable {
  /// The time since the clock was wrapped.
  let now: @Sendable () -> Duration

  /// Waits; throws if the task is cancelled.
  let sleep: @Sendable (Duration) async throws -> Void

  init(_ clock: some Clock<Duration>) {
    let origin = clock.now
    now = { origin.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }

  private init(
    now: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// Returns the same clock with its origin now.
  func restarted() -> PollingClock {
    let origin = now()
    return PollingClock(now: { now() - origin }, sleep: sleep)
  }
}
