@testable import LeakTesting

extension FactorySuite {
  /// What `check` finds with a clock that leaps, its failures kept.
  func survivors(
    _ clock: LeapingClock = LeapingClock(), _ failures: RecordedFailures = RecordedFailures()
  ) async -> [String] {
    await failures.run { await clock.run { await check() } }
  }
}
