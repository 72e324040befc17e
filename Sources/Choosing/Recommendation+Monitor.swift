import Primitives
import WeakCollections

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
