import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Reporting

/// Finds how many operations a second each configuration of an open loop can do at most, so that a load may be
/// a share of that.
///
/// It is what the same loop comes to when every operation is due at once and nobody ever waits: the median of
/// as many trials as the run makes, at most three. The highest rate at which intended times stay bounded, which is
/// asked for with open loops, lies just below it; a search for that would take a trial for every digit.
enum CapacitySearch {
  static let mostTrials = 3

  /// What remains to be known of a plan: a trial of each kind, as often as it is made.
  static func trials(of plan: [TrialSpecification]) -> [[TrialSpecification]] {
    let unknown = plan.filter(\.needsCapacity).map { trial in
      var trial = trial
      trial.pace = Measurement.Pace(mode: .open)
      return trial
    }.withoutRepetitions
    let groups = Dictionary(grouping: unknown, by: \.configuration)
    return unknown.map(\.configuration).withoutRepetitions.map {
      Array(groups[$0, default: []].sorted { $0.number < $1.number }.prefix(mostTrials))
    }
  }

  /// The trials with their targets. Those whose capacity could not be found are left out, and said; what was
  /// found is said too.
  static func resolve(
    _ plan: [TrialSpecification], note: (String) -> Void,
    by run: (TrialSpecification) async throws(TrialFailure) -> TrialResult
  ) async -> [TrialSpecification] {
    var capacities: [Measurement.Configuration: Double] = [:]
    for group in trials(of: plan) {
      do {
        var rates: [Double] = []
        for trial in group { rates.append(try await run(trial).throughput.operationsPerSecond) }
        let capacity = Statistics.median(rates) ?? 0
        capacities[group[0].configuration] = capacity
        note(line(group[0], rates, capacity))
      } catch {
        note("failed: \(error); its open loops are left out")
      }
    }
    return plan.compactMap { trial in
      guard trial.needsCapacity, let load = trial.pace.loadPercent else { return trial }
      var trial = trial
      trial.pace = Measurement.Pace(mode: .open)
      guard let capacity = capacities[trial.configuration] else { return nil }
      trial.pace = Measurement.Pace(
        mode: .open, targetOperationsPerSecond: target(ofCapacity: capacity, load: load),
        loadPercent: load)
      return trial
    }
  }

  /// A share of a capacity: whole operations a second, and at least one.
  static func target(ofCapacity capacity: Double, load: Int) -> Double {
    max(1, (capacity * Double(load) / 100).rounded())
  }

  static func line(
    _ trial: TrialSpecification, _ rates: [Double], _ capacity: Double
  ) -> String {
    let spread = [rates.min() ?? capacity, rates.max() ?? capacity].map { NumberText.rate($0) }
    let range = rates.count > 1 ? ", \(spread[0]) to \(spread[1])" : ""
    return "capacity of \(trial.label): \(NumberText.rate(capacity)) operations/s "
      + "(\(rates.count) \(rates.count == 1 ? "trial" : "trials")\(range))"
  }
}

extension TrialSpecification {
  /// Whether it is a share of a capacity that is not known yet.
  fileprivate var needsCapacity: Bool {
    pace.loadPercent != nil && pace.targetOperationsPerSecond == nil
  }
}
