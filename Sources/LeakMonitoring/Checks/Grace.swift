/// When `validate` reports what it finds, unless it is told itself.
public enum LeakPolicy: Sendable, Equatable {
  /// At once, as published. An instance that is about to be released counts: in `x = C()` the old one
  /// still lives while the new one is initialised.
  case immediate

  /// If there are still too many after a grace period: see `MemoryLeakMonitor.validate`.
  case graced(Duration = .seconds(1))

  /// The grace period; nil if there is none.
  var grace: Duration? {
    switch self {
    case .immediate: nil
    case .graced(let duration): duration
    }
  }
}

/// The time in which what looks like a leak may still prove to be none.
///
/// It is over when its duration has passed *and* it was asked often enough: time alone says little on a
/// machine that runs other things. A long gap between two polls means that the process did not run, in a
/// debugger for instance, and neither then did what would have released the object; grace begins anew.
package struct Grace: Sendable {
  static let leastPolls = 20
  static let longestGap: Duration = .seconds(1)

  private let duration: Duration
  private let start: Duration
  private var lastPoll: Duration
  private var polls = 0

  /// - Parameter now: the time since any moment, the same for all calls.
  package init(_ duration: Duration, from now: Duration) {
    self.duration = duration
    start = now
    lastPoll = now
  }

  /// How long to wait between polls: for 20 in the duration, well below the gap.
  package var interval: Duration {
    max(.milliseconds(1), min(duration / Self.leastPolls, Self.longestGap / 4))
  }

  /// Notes that what looked like a leak still does; returns whether grace is over.
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

/// A clock of any type, as far as waiting for grace needs it.
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

  /// The same clock, wrapped anew: its time begins now.
  func restarted() -> PollingClock {
    let origin = now()
    return PollingClock(now: { now() - origin }, sleep: sleep)
  }
}
