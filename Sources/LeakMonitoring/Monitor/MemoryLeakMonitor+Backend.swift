import Choosing
import WeakCollections

extension MemoryLeakMonitor {
  private struct Calibrating {
    /// The calibration that the program set; nil if the one that this package contains is in use.
    var calibration: Calibration?
    var isUsed = false
  }

  private static let calibrating = MutexLock(Calibrating())

  /// The calibration from which `shared`, and any monitor that is created without a backend or a
  /// calibration, chooses its backend.
  ///
  /// The default is the calibration that this package contains. Set another one, such as
  /// `Calibration(contentsOf:)`, before the first use of `shared` or `BindingAnalyzer.shared`. The
  /// static functions use `shared`. A build flag that names a backend takes precedence.
  ///
  /// - Precondition: When the program sets it, neither `shared` nor `BindingAnalyzer.shared` has
  ///   been used.
  public static var calibration: Calibration {
    get { calibrating.read { $0.calibration } ?? .compiled }
    set {
      let isUsed = calibrating.write { state in
        if !state.isUsed { state.calibration = newValue }
        return state.isUsed
      }
      guard !isUsed else {
        fatalError(
          "MemoryLeakMonitor.calibration was set after the first use of MemoryLeakMonitor.shared or "
            + "BindingAnalyzer.shared; set it at the start of the program")
      }
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
      fatalError(
        "a binding analyzer cannot use the backend '\(self)': its operations suspend, and a deinit "
          + "that registers an unbinding cannot wait; choose another backend")
    }
  }
}
