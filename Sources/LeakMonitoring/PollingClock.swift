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
