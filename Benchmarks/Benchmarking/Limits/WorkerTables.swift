import WeakCollections
import Workloads

/// The keys and operations of one worker as other programs get them.
public struct WorkerTables: Sendable {
  public let keys: [Int]
  public let operations: [OperationKind]

  /// Those that every contestant of a trial with this seed walks through.
  public static func all(
    for workload: Workload, threads: Int, size: Int, seed: Seed
  ) -> [WorkerTables] {
    let specification = TrialSpecification(
      contestant: .baseline(for: .dictionary), workload: workload, threads: threads, size: size,
      seed: seed, number: 1, warmupSeconds: 0, seconds: 0)
    return WorkerInput.all(for: specification).map { input in
      WorkerTables(
        keys: input.keys.table.map { $0 }, operations: input.operations.table.map { $0 })
    }
  }
}
