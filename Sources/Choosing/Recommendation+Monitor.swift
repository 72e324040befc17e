import Primitives
import WeakCollections

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
  package static func forMonitor(
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
