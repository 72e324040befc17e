import Foundation

/// How checks let time pass: a task sleeps, a thread pumps its run loop.
struct WaitingClock: Sendable {
  /// The clock of the running task; another one than the system's in tests of waiting.
  @TaskLocal static var current = WaitingClock.continuous

  /// The time since any moment.
  let now: @Sendable () -> Duration
  /// Suspends the task, whether or not it is cancelled.
  let sleep: @Sendable (Duration) async -> Void
  /// Lets the thread do other work, such as what the main actor is to do.
  let pump: @Sendable (Duration) -> Void

  static let continuous: WaitingClock = {
    let origin = ContinuousClock.now
    return WaitingClock(
      now: { origin.duration(to: .now) },
      sleep: { duration in
        // In a task of its own: one that is cancelled does not sleep, and would only poll faster.
        await Task { try? await Task.sleep(for: duration) }.value
      },
      pump: pumpRunLoop)
  }()

  /// Runs the thread's run loop for so long; sleeps if it has nothing to run.
  private static func pumpRunLoop(for duration: Duration) {
    let seconds =
      Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    let end = Date(timeIntervalSinceNow: seconds)
    if !RunLoop.current.run(mode: .default, before: end) { Thread.sleep(until: end) }
  }
}
