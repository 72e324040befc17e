import Measurements
import WeakCollections
import Workloads

/// What one trial showed; the measured part of its row.
public struct TrialResult: Sendable {
  public var throughput: Measurement.Throughput
  public var latency: Measurement.Latency
  public var contention: Measurement.Contention
  public var bytes: Measurement.Bytes
}

/// A trial whose collection did not do what it promises; it is no row.
public struct TrialFailure: Error, CustomStringConvertible {
  public let specification: TrialSpecification
  /// What was expected and what was found.
  public let reason: String

  /// One line, with the seed.
  public var description: String {
    let contestant = specification.contestant
    return "\(contestant.collection.rawValue) \(contestant.name) \(specification.workload.name), "
      + "\(specification.threads) thread\(specification.threads == 1 ? "" : "s"), size \(specification.size), "
      + "seed \(specification.seed): \(reason)"
  }
}
