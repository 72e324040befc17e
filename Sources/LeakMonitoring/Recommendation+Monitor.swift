import Choosing
import Primitives
import WeakCollections

extension WorkloadProfile {
  /// What a monitor does: every thread updates the counts of a few classes, and nobody can wait.
  public static var leakMonitor: WorkloadProfile {
    WorkloadProfile(
      collection: .dictionary, workload: "leak-monitor", shares: OperationShares(update: 100),
      threads: Host.usableCores, cores: Host.usableCores, size: 64, synchronousOnly: true)
  }
}

extension Recommendation {
  /// A monitor's backend where none is given: the build flag's if it never suspends, else the chooser's.
  static func forMonitor(
    selectedByTrait: Backend? = Backend.selectedByTrait, chooser: Chooser = Chooser()
  ) -> Recommendation {
    guard let selectedByTrait, selectedByTrait.isSynchronous else {
      return chooser.recommendation(for: .leakMonitor)
    }
    return Recommendation(
      backend: selectedByTrait, isCalibrated: false,
      reason: "The trait \(selectedByTrait.trait) selects it.")
  }
}
