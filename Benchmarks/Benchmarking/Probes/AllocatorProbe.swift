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
