/// What became of bindings that are over, and when it is looked for more of them.
struct BindingHistory: Sendable {
  /// A sweep that is under way.
  struct Sweep: Sendable {
    fileprivate let clearings: Int
  }

  static let leastInterval = 64

  private(set) var counts: [BindingRecord: Int] = [:]
  private var isSweeping = false
  /// Since the last sweep ended.
  private var registrations = 0
  /// How many registrations until the next sweep.
  private var isDueAfter = BindingHistory.leastInterval
  private var clearings = 0

  /// Counts a registration; begins the sweep that is due, if one is.
  ///
  /// Both at once: were it decided and begun apart, another sweep could begin and end between the two.
  mutating func noteRegistration() -> Sweep? {
    registrations += 1
    return registrations >= isDueAfter ? beginSweep() : nil
  }

  /// Nil while another one is under way.
  mutating func beginSweep() -> Sweep? {
    guard !isSweeping else { return nil }
    isSweeping = true
    return Sweep(clearings: clearings)
  }

  /// Adds what a sweep took out, unless all that was then has been forgotten meanwhile.
  mutating func add(_ records: [BindingRecord], of sweep: Sweep) {
    guard sweep.clearings == clearings else { return }
    for record in records { add(record) }
  }

  mutating func add(_ record: BindingRecord) { counts[record, default: 0] += 1 }

  /// The next is due after as many registrations as were kept, so that sweeps cost each the same, however
  /// many are kept.
  mutating func endSweep(kept: Int) {
    isSweeping = false
    registrations = 0
    isDueAfter = max(Self.leastInterval, kept)
  }

  mutating func clear() {
    counts = [:]
    clearings += 1
  }
}
