import CAllocationCounting

/// A counter of the bytes that all threads of the process allocate and free.
///
/// Counting slows allocations down, so bytes and times are never measured together. A build without
/// the trait `Jemalloc` cannot count. At most one probe may exist at a time.
public struct AllocatorProbe: ~Copyable {
  /// The name of this build's allocator, as in the CSV.
  public static var name: String { cac_is_available() ? "jemalloc" : "system" }

  /// Whether this process counts bytes: the build supports it, and a known allocation is counted
  /// correctly.
  public static let isAvailable: Bool = {
    guard cac_is_available() else { return false }
    let probe = AllocatorProbe()
    // The probe also counts the allocations of other threads meanwhile. One correct attempt of many
    // is enough: if nothing is counted, no attempt is correct by chance.
    return (0..<1000).contains { _ in
      let before = probe.bytes
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
      let between = probe.bytes
      memory.deallocate()
      let after = probe.bytes
      return between.allocated - before.allocated == 64 && after.freed - between.freed == 64
    }
  }()

  /// Starts counting; the probe's deinitialization stops it.
  public init() {
    cac_set_counting(true)
  }

  deinit {
    cac_set_counting(false)
  }

  /// The bytes counted so far.
  public var bytes: AllocatedBytes { .now }

  /// Resets the peak to the present live bytes.
  public func resetPeak() { cac_reset_peak() }
}

/// The bytes that the whole process allocated and freed while counting, in the allocator's size
/// classes.
public struct AllocatedBytes: Sendable, Equatable {
  /// The allocated bytes.
  public var allocated: Int
  /// The freed bytes.
  public var freed: Int
  /// The maximum of the live bytes over all allocations since the last `resetPeak`.
  public var peakLive: Int

  /// The bytes allocated and not freed.
  public var live: Int { allocated - freed }

  static var now: AllocatedBytes {
    let counts = cac_read()
    return AllocatedBytes(
      allocated: counts.allocated, freed: counts.freed, peakLive: counts.peak_live)
  }
}

/// The live bytes of the whole process, by jemalloc's own statistics.
///
/// Unlike `AllocatorProbe`, it does not slow allocations down. It is exact while no thread
/// allocates.
public enum LiveBytes {
  /// The present live bytes in the allocator's size classes, without the free memory in thread
  /// caches; `nil` without jemalloc.
  ///
  /// Reading it takes every lock of the allocator, so do not call it in a timed part.
  public static var now: Int? {
    let bytes = cac_read_live_bytes()
    return bytes < 0 ? nil : bytes
  }
}

/// The bytes that one thread has allocated and freed, in the allocator's size classes.
///
/// Memory that one thread allocates and another frees counts in the first thread's `allocated` and
/// the second thread's `freed`. The live bytes are therefore only the difference of the sums over
/// all threads.
struct ThreadBytes: Hashable, Sendable {
  /// The counter wraps around; differences are exact nevertheless.
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

/// The allocator's counters of the thread that creates the value.
///
/// Only that thread may use them. Reading them takes two loads.
struct ThreadByteCounters {
  private let allocated: UnsafePointer<UInt64>
  private let freed: UnsafePointer<UInt64>

  /// Finds the calling thread's counters, or returns `nil` without jemalloc.
  init?() {
    let counters = cac_counters_of_this_thread()
    guard let allocated = counters.allocated, let freed = counters.freed else { return nil }
    self.allocated = allocated
    self.freed = freed
  }

  var now: ThreadBytes { ThreadBytes(allocated: allocated.pointee, freed: freed.pointee) }
}
