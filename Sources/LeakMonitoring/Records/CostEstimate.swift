import Primitives

/// The time of many acts of a kind, of which only some are timed: all that are recorded, and of the others the
/// first and one in 64 after it.
struct CostEstimate: ~Copyable, Sendable {
  private static let interval = 64

  // Relaxed, everywhere: figures for people, each for itself.
  private let recorded = Atomic<Int>(0)
  private let recordedNanoseconds = Atomic<Int>(0)
  private let timed = Atomic<Int>(0)
  private let timedNanoseconds = Atomic<Int>(0)

  /// Whether the act of that number, from 1, is timed though it may not be recorded.
  static func isTimed(_ number: Int) -> Bool { number % interval == 1 }

  /// Notes how long an act took that was recorded, or one that was only timed.
  func note(_ duration: Duration, isRecorded: Bool) {
    let nanoseconds = Int(duration / .nanoseconds(1))
    if isRecorded {
      recorded.wrappingAdd(1, ordering: .relaxed)
      recordedNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
    } else {
      timed.wrappingAdd(1, ordering: .relaxed)
      timedNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
    }
  }

  /// The nanoseconds of `count` acts, all that there were. If none was timed that was not recorded, the others
  /// are taken for as dear as the recorded.
  func nanoseconds(of count: Int) -> Double {
    let recorded = recorded.load(ordering: .relaxed)
    let recordedNanoseconds = Double(recordedNanoseconds.load(ordering: .relaxed))
    let timed = timed.load(ordering: .relaxed)
    let mean =
      timed > 0
      ? Double(timedNanoseconds.load(ordering: .relaxed)) / Double(timed)
      : recordedNanoseconds / Double(max(1, recorded))
    return recordedNanoseconds + mean * Double(max(0, count - recorded))
  }
}
