import Primitives

#if Jemalloc
  import CJemalloc
#endif

/// Counts the bytes that the process allocates and frees, whichever thread does it.
///
/// jemalloc calls a hook for every allocation while a probe lives, which makes allocating slower: bytes
/// and times are never taken together. Without the trait `Jemalloc` there is nothing to count with.
public final class AllocatorProbe {
  /// The allocator of this build, as in the CSV.
  public static var name: String {
    #if Jemalloc
      "jemalloc"
    #else
      "system"
    #endif
  }

  /// Whether this process counts bytes: it was built to, and the hooks count what is known.
  public static let isAvailable: Bool = {
    guard let probe = AllocatorProbe() else { return false }
    return probe.countsWhatIsKnown()
  }()

  private let counters: UnsafeMutablePointer<AllocationCounters>
  private let hooks: UnsafeMutableRawPointer

  public var bytes: AllocatedBytes { counters.pointee.snapshot() }

  public func resetPeak() { counters.pointee.resetPeak() }

  /// Begins to count; nil where the allocator cannot.
  public init?() {
    #if Jemalloc
      counters = NodeMemory.allocate(AllocationCounters.self)
      counters.initialize(to: AllocationCounters())
      guard let hooks = Self.install(UnsafeMutableRawPointer(counters)) else {
        NodeMemory.deallocate(counters)
        return nil
      }
      self.hooks = hooks
    #else
      return nil
    #endif
  }

  deinit {
    #if Jemalloc
      Self.remove(hooks)
      counters.deinitialize(count: 1)
      NodeMemory.deallocate(counters)
    #endif
  }

  private func countsWhatIsKnown() -> Bool {
    let before = bytes
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    let between = bytes
    memory.deallocate()
    let after = bytes
    return between.allocated - before.allocated == 64 && after.freed - between.freed == 64
  }

  #if Jemalloc
    /// Has the hooks called; returns their handle.
    ///
    /// The hooks run inside `malloc`: they allocate nothing and reach the counters through `extra`.
    private static func install(_ counters: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
      var hooks = cj_hooks(
        alloc: { extra, _, result, _, _ in
          guard let result else { return }
          AllocatorProbe.counters(extra).pointee.noteAllocation(of: sallocx(result, 0))
        },
        dalloc: { extra, _, address, _ in
          guard let address else { return }
          AllocatorProbe.counters(extra).pointee.noteFreeing(of: sallocx(address, 0))
        },
        expand: { extra, _, _, oldSize, newSize, _, _ in
          AllocatorProbe.counters(extra).pointee.noteAllocation(of: newSize)
          AllocatorProbe.counters(extra).pointee.noteFreeing(of: oldSize)
        },
        extra: counters)
      var handle: UnsafeMutableRawPointer?
      var size = MemoryLayout<UnsafeMutableRawPointer?>.size
      let status = mallctl(
        "experimental.hooks.install", &handle, &size, &hooks, MemoryLayout<cj_hooks>.size)
      return status == 0 ? handle : nil
    }

    private static func remove(_ handle: UnsafeMutableRawPointer) {
      var handle: UnsafeMutableRawPointer? = handle
      mallctl(
        "experimental.hooks.remove", nil, nil, &handle,
        MemoryLayout<UnsafeMutableRawPointer?>.size)
    }

    private static func counters(
      _ extra: UnsafeMutableRawPointer?
    ) -> UnsafeMutablePointer<AllocationCounters> {
      extra.unsafelyUnwrapped.assumingMemoryBound(to: AllocationCounters.self)
    }
  #endif
}
