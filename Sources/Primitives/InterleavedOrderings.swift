#if Interleaving
  import CShims

  // The orderings of `Synchronization` can be passed on as constants alone; a scheduler wants numbers.

  public struct AtomicLoadOrdering: Sendable {
    let rawValue: UInt32

    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    public static var acquiring: Self { Self(rawValue: UInt32(CWS_ACQUIRING)) }
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }
  }

  public struct AtomicStoreOrdering: Sendable {
    let rawValue: UInt32

    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    public static var releasing: Self { Self(rawValue: UInt32(CWS_RELEASING)) }
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }
  }

  public struct AtomicUpdateOrdering: Sendable {
    let rawValue: UInt32

    public static var relaxed: Self { Self(rawValue: UInt32(CWS_RELAXED)) }
    public static var acquiring: Self { Self(rawValue: UInt32(CWS_ACQUIRING)) }
    public static var releasing: Self { Self(rawValue: UInt32(CWS_RELEASING)) }
    public static var acquiringAndReleasing: Self {
      Self(rawValue: UInt32(CWS_ACQUIRING_AND_RELEASING))
    }
    public static var sequentiallyConsistent: Self {
      Self(rawValue: UInt32(CWS_SEQUENTIALLY_CONSISTENT))
    }

    /// What a failed exchange is ordered by, as C++ derives it.
    var failure: AtomicLoadOrdering {
      switch rawValue {
      case UInt32(CWS_ACQUIRING), UInt32(CWS_ACQUIRING_AND_RELEASING): .acquiring
      case UInt32(CWS_SEQUENTIALLY_CONSISTENT): .sequentiallyConsistent
      default: .relaxed
      }
    }
  }
#endif
