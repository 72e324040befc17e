import Choosing
import Primitives
import WeakCollections

extension MemoryLeakMonitor {
  private struct Calibrating {
    /// Nil for the one that this package was built with.
    var calibration: Calibration?
    var isUsed = false
  }

  private static let calibrating = MutexLock(Calibrating())

  /// From what `shared`, and any monitor that is made without a backend or a calibration of its own, chooses its
  /// backend; the one that this package was built with unless set, as to `Calibration(contentsOf:)`.
  ///
  /// To be set before `shared` is first used, which a static function here does too; traps after that. A build
  /// flag that names a backend is stronger.
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

  /// The recommendation for `shared`, after which its calibration cannot change.
  static func recommendationForShared() -> Recommendation {
    calibrating.write { $0.isUsed = true }
    return recommendationBySetting()
  }

  /// The recommendation for a monitor that was given nothing.
  static func recommendationBySetting() -> Recommendation {
    calibrating.read { $0.calibration }
      .map { .forMonitor(calibration: $0, named: "MemoryLeakMonitor.calibration was set to") }
      ?? .forMonitor()
  }
}

extension WorkloadProfile {
  /// What a monitor does: every thread enters new objects in the weak sets of their classes, and nobody can wait.
  /// To find a class's set is one read, which costs less with any backend.
  ///
  /// The size is the one at which the workload "leak-monitor" is measured: 1,024 instances of sixteen classes. Asked of
  /// another size, which few programs know, the chooser could only say that nobody measured it.
  public static var leakMonitor: WorkloadProfile {
    WorkloadProfile(
      collection: .weakSet, workload: "leak-monitor", shares: OperationShares(insert: 100),
      threads: Host.usableCores, cores: Host.usableCores, size: 1024, synchronousOnly: true)
  }
}

extension Recommendation {
  /// A monitor's backend where none is given: the build flag's if it never suspends, else the chooser's.
  ///
  /// - Parameter named: which calibration it is, for the reason.
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
  /// An empty dictionary of this backend, for what is not called often; traps for the actor.
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
