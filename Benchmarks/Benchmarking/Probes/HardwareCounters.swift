import CPerformanceCounters

/// The processor's counters for the thread that makes them, outside the kernel.
///
/// Counts nothing, and costs nothing, where the host has no counters or keeps them to itself, as most
/// virtual machines do.
struct HardwareCounters: ~Copyable {
  private let counters: cpc_counters?

  init() {
    counters = Self.availableEvents.isEmpty ? nil : cpc_open()
  }

  deinit {
    if let counters { cpc_close(counters) }
  }

  /// Up to now; each with what it missed while it had to share a counter added in proportion.
  var counts: HardwareCounts {
    HardwareCounts(
      cycles: count(CPC_CYCLES), instructions: count(CPC_INSTRUCTIONS),
      cacheMisses: count(CPC_CACHE_MISSES))
  }

  private func count(_ event: cpc_event) -> Double? {
    guard let counters, Self.availableEvents.contains(event) else { return nil }
    let count = cpc_read(counters, event)
    return count < 0 ? nil : count
  }

  /// Some hosts give a counter and never let it count.
  private static let availableEvents = [CPC_CYCLES, CPC_INSTRUCTIONS, CPC_CACHE_MISSES].filter(
    cpc_counts)
}

/// Events of one thread; nil is what the host does not count.
struct HardwareCounts: Equatable, Sendable {
  var cycles: Double?
  var instructions: Double?
  var cacheMisses: Double?

  static func - (later: HardwareCounts, earlier: HardwareCounts) -> HardwareCounts {
    func difference(_ later: Double?, _ earlier: Double?) -> Double? {
      guard let later, let earlier else { return nil }
      return max(0, later - earlier)
    }
    return HardwareCounts(
      cycles: difference(later.cycles, earlier.cycles),
      instructions: difference(later.instructions, earlier.instructions),
      cacheMisses: difference(later.cacheMisses, earlier.cacheMisses))
  }
}
