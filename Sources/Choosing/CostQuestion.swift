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

  /// What is to be small where the backends cost `costs`: the objective's, weighed against bytes.
  func score(_ costs: (CostObjective) -> CostLanes) -> CostLanes {
    let time = costs(objective).excluding(excluded)
    let weight = profile.memoryWeight
    guard weight > 0 else { return time }
    // Excluded from these too, which decide alone at a weight of 1.
    let bytes = costs(.bytes).excluding(excluded)
    return CostLanes.between(time.logarithms, bytes.logarithms, at: weight).exponentials
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
