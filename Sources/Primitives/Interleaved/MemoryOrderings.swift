#if Interleaving
  import CShims
  import Synchronization

  // `Synchronization` accepts its orderings only as constants. A scheduler needs them as numbers.

  /// The memory ordering of an atomic load.
  public struct AtomicLoadOrdering: Sendable {
    let rawValue: UInt32

    /// No ordering guarantee.
    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    /// Acquire: what precedes the matching releasing store is visible after this load.
    public static var acquiring: Self { Self(rawValue: UInt32(CWS_ACQUIRING)) }
    /// Acquire, and a place in the single total order of sequentially consistent operations.
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }
  }

  /// The memory ordering of an atomic store.
  public struct AtomicStoreOrdering: Sendable {
    let rawValue: UInt32

    /// No ordering guarantee.
    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    /// Release: what precedes this store is visible after a matching acquiring load.
    public static var releasing: Self { Self(rawValue: UInt32(CWS_RELEASING)) }
    /// Release, and a place in the single total order of sequentially consistent operations.
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }
  }

  /// The memory ordering of an atomic read-modify-write.
  public struct AtomicUpdateOrdering: Sendable {
    let rawValue: UInt32

    /// No ordering guarantee.
    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    /// Acquire for the load, relaxed for the store.
    public static var acquiring: Self { Self(rawValue: UInt32(CWS_ACQUIRING)) }
    /// Release for the store, relaxed for the load.
    public static var releasing: Self { Self(rawValue: UInt32(CWS_RELEASING)) }
    /// Acquire for the load and release for the store.
    public static var acquiringAndReleasing: Self {
      Self(rawValue: UInt32(CWS_ACQUIRING_AND_RELEASING))
    }
    /// Acquire and release, and a place in the single total order of sequentially consistent
    /// operations.
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }

    /// The ordering of a failed compare-exchange, derived as in C++.
    var failure: AtomicLoadOrdering {
      switch rawValue {
      case UInt32(CWS_ACQUIRING), UInt32(CWS_ACQUIRING_AND_RELEASING): .acquiring
      case UInt32(CWS_SEQUENTIALLY_CONSISTENT): .sequentiallyConsistent
      default: .relaxed
      }
    }
  }

  /// Executes a memory fence.
  ///
  /// The interface is that of `Synchronization.atomicMemoryFence`. Without a scheduler the fence is
  /// sequentially consistent, whatever ordering it names.
  public func atomicMemoryFence(
    ordering: AtomicUpdateOrdering, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) {
    guard let scheduler = cws_scheduler_get() else {
      return Synchronization.atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
    scheduler.pointee.fence(ordering.rawValue, cws_site(file, function, line))
  }
#endif
