import WeakCollections
import Workloads

@testable import Benchmarking

extension TrialSpecification {
  /// A trial of a few milliseconds.
  static func example(
    _ contestant: Contestant = .baseline(for: .dictionary), _ workload: String = "read-heavy",
    threads: Int = 2, entries: Int = 64, types: EntryTypes? = nil, keys: KeyDistribution? = nil
  ) -> TrialSpecification {
    let subject = WorkloadSubject(rawValue: contestant.collection.rawValue)!
    var workload = Workload.all(for: subject).first { $0.name == workload }!
    if let types { workload = workload.on(types) }
    if let keys { workload = workload.drawing(keys) }
    return TrialSpecification(
      contestant: contestant, workload: workload,
      threads: threads, entries: entries, seed: Seed(7)!, number: 1, warmupSeconds: 0.005,
      seconds: 0.01)
  }
}
