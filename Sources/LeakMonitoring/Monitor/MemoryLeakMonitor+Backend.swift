import Choosing
import Primitives
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

extension WorkloadProfile {
  /// The workload of a monitor: every thread inserts new objects into the weak sets of their
  /// classes, and none may suspend. Finding the set of a class is one read, which costs less with
  /// any backend.
  ///
  /// The size is that of the measured workload "leak-monitor": 1,024 instances of sixteen classes.
  /// For any other size, which few programs know, the chooser has no measurement.
  public static var leakMonitor: WorkloadProfile {
    WorkloadProfile(
      collection: .weakSet, workload: "leak-monitor", shares: OperationShares(insert: 100),
      threads: Host.usableCores, cores: Host.usableCores, size: 1024, synchronousOnly: true)
  }
}

extension Recommendation {
  /// Returns a monitor's backend where none is given: the build flag's if it never suspends, else
  /// the chooser's.
  ///
  /// - Parameter named: Describes the calibration in the reason.
  static func forMonitor(
    selectedByTrait: Backend? = Backend.selectedByTrait, calibration: Calibration = .compiled,
    named: String = "this package was built with"
  ) -> Recommendation {
    guard let selectedByTrait, selectedByTrait.isSynchronous else {
      var chosen = Chooser(calibration: calibration).recommendation(for: .leakMonitor)
      chosen.reason += " The calibration is the one that \(named)."
      return chosen
    }
    return Recommendation(
      backend: selectedByTrait, isCalibrated: false,
      reason: "The trait \(selectedByTrait.trait) selects it.")
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
