import CAllocationCounting

/// Counts the bytes that the process allocates and frees, whichever thread does it.
///
/// Counting makes allocating slower: bytes and times are never taken together. Without the trait
/// `Jemalloc` there is nothing to count with. One at a time.
public struct AllocatorProbe: ~Copyable {
  /// The allocator of this build, as in the CSV.
  public static var name: String { cac_is_available() ? "jemalloc" : "system" }

  /// Whether this process counts bytes: it was built to, and what is known comes out right.
  public static let isAvailable: Bool = {
    guard cac_is_available() else { return false }
    let probe = AllocatorProbe()
    // What other threads do meanwhile is counted too: one time in many is enough, and none comes out right
    // by chance where nothing is counted.
    return (0..<1000).contains { _ in
      let before = probe.bytes
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
      let between = probe.bytes
      memory.deallocate()
      let after = probe.bytes
      return between.allocated - before.allocated == 64 && after.freed - between.freed == 64
    }
  }()

  /// Begins to count.
  public init() {
    cac_set_counting(true)
  }

  deinit {
    cac_set_counting(false)
  }

  public var bytes: AllocatedBytes { .now }

  /// Makes the present live bytes the peak.
  public func resetPeak() { cac_reset_peak() }
}

/// Bytes allocated and freed by the whole process while counted, in the allocator's size classes.
public struct AllocatedBytes: Sendable, Equatable {
  public var allocated: Int
  public var freed: Int
  /// The most that were allocated and not freed, at any allocation since the last `resetPeak`.
  public var peakLive: Int

  public var live: Int { allocated - freed }

  static var now: AllocatedBytes {
    let counts = cac_read()
    return AllocatedBytes(
      allocated: counts.allocated, freed: counts.freed, peakLive: counts.peak_live)
  }
}

/// What the whole process has allocated and not freed, by jemalloc's own statistics.
///
/// Unlike `AllocatorProbe` it makes allocating no slower. It is exact while no thread allocates.
public enum LiveBytes {
  /// In the allocator's size classes, less what lies free in thread caches; `nil` without jemalloc.
  ///
  /// Takes every lock of the allocator, about 50 µs: nothing to do while something is timed.
  public static var now: Int? {
    let bytes = cac_read_live_bytes()
    return bytes < 0 ? nil : bytes
  }
}

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
