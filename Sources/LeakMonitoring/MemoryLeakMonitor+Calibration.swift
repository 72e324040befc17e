import Choosing
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
