import Foundation
import WeakCollections

/// A profile as the model reads it.
struct CostQuestion {
  let profile: WorkloadProfile
  let objective: CostObjective
  /// Whether the profile's workload was measured by its name.
  let isNamed: Bool
  /// In doublings, as is `size`.
  let threads: Double
  let size: Double
  /// Infinite for the backends that the profile cannot use.
  let excluded: CostLanes.Lanes

  init(_ profile: WorkloadProfile, _ objective: CostObjective, isNamed: Bool) {
    self.profile = profile
    self.objective = objective
    self.isNamed = isNamed
    threads = log2(Double(profile.threads))
    size = log2(Double(profile.size))
    excluded =
      profile.synchronousOnly ? Backend.lanesOfSuspending : CostLanes.Lanes(repeating: 0)
  }

  func allowsAny(of costs: CostLanes) -> Bool {
    (costs.median + excluded).min() < .infinity
  }

  /// What of it no measurement can answer. A workload with a name has its own dead entries and churn; a mix
  /// was measured without either. Keys were always drawn uniformly.
  var excess: GridExcess {
    var excess = GridExcess()
    if profile.keyDistribution != WorkloadProfile.uniformKeys {
      excess.keyDistribution = profile.keyDistribution
    }
    guard !isNamed else { return excess }
    excess.workload = profile.workload
    excess.liveFraction = 1 - profile.liveFraction
    excess.churn = profile.churn
    return excess
  }
}
