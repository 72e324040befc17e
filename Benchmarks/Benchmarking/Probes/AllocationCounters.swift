import Primitives

/// Bytes allocated and freed by the whole process since counting began, in the allocator's size classes.
struct AllocationCounters: ~Copyable {
  let allocated = Atomic<Int>(0)
  let freed = Atomic<Int>(0)
  let peak = Atomic<Int>(0)

  // Relaxed, all of them: sums, read when the counted threads stand still behind a barrier that orders
  // them. The peak may miss what two threads allocate at the very same time.

  borrowing func noteAllocation(of bytes: Int) {
    let total = allocated.wrappingAdd(bytes, ordering: .relaxed).newValue
    let live = total - freed.load(ordering: .relaxed)
    if live > peak.load(ordering: .relaxed) { _ = peak.max(live, ordering: .relaxed) }
  }

  borrowing func noteFreeing(of bytes: Int) {
    freed.wrappingAdd(bytes, ordering: .relaxed)
  }

  borrowing func snapshot() -> AllocatedBytes {
    AllocatedBytes(
      allocated: allocated.load(ordering: .relaxed), freed: freed.load(ordering: .relaxed),
      peakLive: peak.load(ordering: .relaxed))
  }

  /// Makes the present live bytes the peak.
  borrowing func resetPeak() {
    peak.store(
      allocated.load(ordering: .relaxed) - freed.load(ordering: .relaxed), ordering: .relaxed)
  }
}

/// What `AllocatorProbe` has counted at one moment.
public struct AllocatedBytes: Sendable, Equatable {
  public var allocated: Int
  public var freed: Int
  /// The most that were allocated and not freed, at any allocation since the last `resetPeak`.
  public var peakLive: Int

  public var live: Int { allocated - freed }
}
