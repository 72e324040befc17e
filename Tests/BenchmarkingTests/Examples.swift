import Testing
import WeakCollections
import Workloads

@testable import Benchmarking

/// Expects that a trial of a collection with a fault fails; returns the failure.
///
/// On a busy machine the workers may not get far enough in one trial. So trials are repeated until
/// one fails, and only the time limit of the test ends them in vain.
@discardableResult
func expectTrialFailure(
  _ specification: TrialSpecification, _ makeSubject: @escaping SubjectFactory,
  sourceLocation: SourceLocation = #_sourceLocation
) async -> TrialFailure? {
  // What is kept alive is so forever.
  let trial = Trial(
    specification: specification, makeSubject: makeSubject, patienceMilliseconds: 300)
  while !Task.isCancelled {
    do throws(TrialFailure) {
      _ = try await trial.run()
    } catch {
      return error
    }
  }
  Issue.record("no trial failed", sourceLocation: sourceLocation)
  return nil
}

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
