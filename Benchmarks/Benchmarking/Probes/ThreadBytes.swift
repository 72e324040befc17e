import CAllocationCounting

/// What one thread has allocated and freed, in the allocator's size classes.
///
/// Who frees is who is counted: what one thread allocates and another frees is in the one's `allocated`
/// and the other's `freed`, so that only the difference of all threads' sums is what is live.
struct ThreadBytes: Hashable, Sendable {
  /// Runs freely, and wraps; a difference is exact all the same.
  var allocated: UInt64
  var freed: UInt64

  static func - (later: ThreadBytes, earlier: ThreadBytes) -> ThreadBytes {
    ThreadBytes(
      allocated: later.allocated &- earlier.allocated, freed: later.freed &- earlier.freed)
  }

  static func + (one: ThreadBytes, other: ThreadBytes) -> ThreadBytes {
    ThreadBytes(allocated: one.allocated &+ other.allocated, freed: one.freed &+ other.freed)
  }
}

/// The allocator's counters of the thread that makes it, for that thread alone: reading them is two loads.
struct ThreadByteCounters {
  private let allocated: UnsafePointer<UInt64>
  private let freed: UnsafePointer<UInt64>

  /// `nil` without jemalloc.
  init?() {
    let counters = cac_counters_of_this_thread()
    guard let allocated = counters.allocated, let freed = counters.freed else { return nil }
    self.allocated = allocated
    self.freed = freed
  }

  var now: ThreadBytes { ThreadBytes(allocated: allocated.pointee, freed: freed.pointee) }
}
