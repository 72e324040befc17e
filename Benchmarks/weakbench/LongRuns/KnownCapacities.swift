import Benchmarking
import Measurements

/// The capacities of open loops as rows of the same plan have them.
///
/// Found anew they would be others, and the trials of one load would be of two targets.
struct KnownCapacities {
  /// By what the trials of all loads have in common: the load that was known best, and its target.
  private var known: [Measurement.Configuration: (load: Int, target: Double)] = [:]
  /// Of each load itself, without an error of rounding.
  private var targets: [Measurement.Configuration: Double] = [:]

  init(of rows: [Measurement]) {
    for row in rows {
      let pace = row.configuration.pace
      guard let load = pace.loadPercent, let target = pace.targetOperationsPerSecond else {
        continue
      }
      targets[row.configuration.paced(load)] = target
      let all = row.configuration.paced(nil)
      // Targets are whole numbers: the greatest has the most digits.
      if target > known[all]?.target ?? 0 { known[all] = (load, target) }
    }
  }

  /// The trials with their targets, where a row tells them.
  func resolved(_ trials: [TrialSpecification]) -> [TrialSpecification] {
    trials.map { trial in
      guard trial.pace.targetOperationsPerSecond == nil, let load = trial.pace.loadPercent,
        let target = target(of: trial.configuration, atPercent: load)
      else { return trial }
      var trial = trial
      trial.pace.targetOperationsPerSecond = target
      return trial
    }
  }

  private func target(
    of configuration: Measurement.Configuration, atPercent load: Int
  ) -> Double? {
    if let target = targets[configuration.paced(load)] { return target }
    return known[configuration.paced(nil)].map { best in
      CapacitySearch.target(ofCapacity: best.target * 100 / Double(best.load), load: load)
    }
  }
}

extension Measurement.Configuration {
  fileprivate func paced(_ load: Int?) -> Measurement.Configuration {
    var configuration = self
    configuration.pace = Measurement.Pace(mode: .open, loadPercent: load)
    return configuration
  }
}
