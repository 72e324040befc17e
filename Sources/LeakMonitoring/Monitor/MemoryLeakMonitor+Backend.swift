import Choosing
import WeakCollections

extension MemoryLeakMonitor {
  private struct Calibrating {
    /// Nil for the calibration that this package was built with.
    var calibration: Calibration?
    var isUsed = false
  }

  private static let calibrating = MutexLock(Calibrating())

  /// The calibration from which `shared`, and any monitor without a backend or a calibration of its
  /// own, chooses its backend. The one that this package was built with, unless set, for instance
  /// to `Calibration(contentsOf:)`.
  ///
  /// Set it before the first use of `shared`, which includes the static functions; it traps after
  /// that. A build flag that names a backend takes precedence.
  public static var calibration: Calibration {
    get { calibrating.read { $0.calibration } ?? .compiled }
    set {
      let isUsed = calibrating.write { state in
        if !state.isUsed { state.calibration = newValue }
        return state.isUsed
      }
      precondition(
        !isUsed, "expected MemoryLeakMonitor.calibration to be set before shared is first used")
    }
  }

  /// Returns the recommendation for `shared`; from then on, setting `calibration` traps.
  static func recommendationForShared() -> Recommendation {
    calibrating.write { $0.isUsed = true }
    return recommendationBySetting()
  }

  /// Returns the recommendation for a monitor without a backend or a calibration of its own.
  static func recommendationBySetting() -> Recommendation {
    calibrating.read { $0.calibration }
      .map { .forMonitor(calibration: $0, named: "MemoryLeakMonitor.calibration was set to") }
      ?? .forMonitor()
  }
}

extension Backend {
  /// Returns an empty dictionary of this backend, for infrequent use; traps for the actor.
  func makeSynchronousDictionary<Key: Hashable & Sendable, Value: Sendable>()
    -> any SynchronousDictionary<Key, Value> & Sendable
  {
    switch self {
    case .barrierQueue: BarrierQueueDictionary()
    case .mutex: MutexDictionary()
    case .readWriteLock: ReadWriteLockDictionary()
    case .adaptiveLock: AdaptiveLockDictionary()
    case .stripedLock: StripedLockDictionary()
    case .bucketLock: BucketLockDictionary()
    case .lockFree: LockFreeDictionary()
    case .actor:
      preconditionFailure("expected a backend that never suspends, since deinit cannot wait")
    }
  }
}
