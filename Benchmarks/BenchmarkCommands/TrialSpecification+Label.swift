import Benchmarking
import WeakCollections
import Workloads
import Measurements

extension TrialSpecification {
  /// What the progress bar says is being run.
  package var label: String {
    let load = pace.loadPercent.map { " at \($0) %" } ?? ""
    return
      "\(contestant.collection.rawValue) \(contestant.name) \(workload.name) ×\(threads)\(load)"
  }
}
