/// What became of bindings that are over.
struct BindingHistory: Sendable {
  private(set) var counts: [BindingRecord: Int] = [:]
  private var additions = 0
  /// How many additions until the next sweep.
  private var isDueAfter = BindingHistory.leastInterval

  private static let leastInterval = 64

  mutating func add(_ records: [BindingRecord]) {
    for record in records { counts[record, default: 0] += 1 }
  }

  /// Counts a binding; returns whether a sweep is due, and begins to count anew if so.
  mutating func noteBinding() -> Bool {
    additions += 1
    guard additions >= isDueAfter else { return false }
    additions = 0
    return true
  }

  /// So that sweeps cost each binding the same, however many are kept.
  mutating func noteSweep(kept: Int) {
    isDueAfter = max(Self.leastInterval, kept)
  }
}
