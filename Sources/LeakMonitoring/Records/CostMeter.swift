import Primitives

/// What validations cost: all are counted, those that are recorded timed, and of the others one in 64.
final class CostMeter: Sendable {
  static let interval = 64

  // Relaxed, everywhere: figures for people, each for itself.
  private let validations = Atomic<Int>(0)
  private let backtraces = Atomic<Int>(0)
  private let recordedCount = Atomic<Int>(0)
  private let recordedNanoseconds = Atomic<Int>(0)
  private let timedCount = Atomic<Int>(0)
  private let timedNanoseconds = Atomic<Int>(0)

  /// Returns the number of the validation, from 1.
  func addValidation() -> Int {
    validations.wrappingAdd(1, ordering: .relaxed).newValue
  }

  func noteBacktrace() {
    backtraces.wrappingAdd(1, ordering: .relaxed)
  }

  /// Notes how long a validation took that was recorded, or one that was only timed.
  func note(_ duration: Duration, isRecorded: Bool) {
    if isRecorded {
      recordedCount.wrappingAdd(1, ordering: .relaxed)
      noteBirth(duration)
    } else {
      timedCount.wrappingAdd(1, ordering: .relaxed)
      timedNanoseconds.wrappingAdd(Self.nanoseconds(duration), ordering: .relaxed)
    }
  }

  /// Notes how long it took to record a birth.
  func noteBirth(_ duration: Duration) {
    recordedNanoseconds.wrappingAdd(Self.nanoseconds(duration), ordering: .relaxed)
  }

  private static func nanoseconds(_ duration: Duration) -> Int {
    Int(duration / .nanoseconds(1))
  }

  /// - Parameter births: how many tokens were made; their time is known only as far as they are recorded.
  func cost(births: Int) -> MonitorCost {
    let all = validations.load(ordering: .relaxed)
    let timed = timedCount.load(ordering: .relaxed)
    let plain = max(0, all - recordedCount.load(ordering: .relaxed))
    let mean = Double(timedNanoseconds.load(ordering: .relaxed)) / Double(max(1, timed))
    let nanoseconds =
      Double(recordedNanoseconds.load(ordering: .relaxed)) + mean * Double(plain)
    return MonitorCost(
      validations: all + births, backtraces: backtraces.load(ordering: .relaxed),
      total: .nanoseconds(Int64(nanoseconds)))
  }
}
