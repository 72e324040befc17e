import Primitives

/// Decides which instances are recorded.
final class Sampler: Sendable {
  /// The interval in the upper half; in the lower the cap and one, or 0 for none.
  private let settings: Atomic<UInt64>
  /// The second in the upper half, and how many were admitted in it.
  private let window = Atomic<UInt64>(0)

  init(_ sampling: Sampling) {
    settings = Atomic(Self.word(of: sampling))
  }

  var sampling: Sampling {
    // Relaxed, both: one word, which orders nothing else.
    get {
      let word = settings.load(ordering: .relaxed)
      let cap = Int(word & 0xffff_ffff)
      return Sampling(oneIn: Int(word >> 32), cap: cap == 0 ? nil : cap - 1)
    }
    set { settings.store(Self.word(of: newValue), ordering: .relaxed) }
  }

  /// Whether the instance of that number, from 1, is one of the sample.
  @inline(__always)
  func selects(_ number: Int) -> Bool {
    // Relaxed: a setting alone.
    let interval = Int(settings.load(ordering: .relaxed) >> 32)
    return interval == 1 || interval > 1 && number % interval == 1
  }

  /// Whether one more may be recorded in the second of `now`, which is counted then.
  func admits(at now: Duration) -> Bool {
    guard let cap = sampling.cap else { return true }
    let second = UInt64(UInt32(truncatingIfNeeded: now.components.seconds)) << 32
    // Relaxed, all: the word is all that is agreed on; each addition is of one admission.
    var seen = window.load(ordering: .relaxed)
    while true {
      // Who comes late from an earlier second counts in this one, which stays.
      let current = max(seen & ~0xffff_ffff, second)
      let admitted = current == seen & ~0xffff_ffff ? seen & 0xffff_ffff : 0
      guard admitted < cap else { return false }
      let (exchanged, original) = window.compareExchange(
        expected: seen, desired: current | (admitted + 1), ordering: .relaxed)
      if exchanged { return true }
      seen = original
    }
  }

  private static func word(of sampling: Sampling) -> UInt64 {
    UInt64(sampling.interval) << 32 | UInt64(sampling.cap.map { $0 + 1 } ?? 0)
  }
}
