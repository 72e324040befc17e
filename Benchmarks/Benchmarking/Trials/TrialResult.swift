import Measurements
import WeakCollections
import Workloads

/// What one trial showed; the measured part of its row.
public struct TrialResult: Codable, Hashable, Sendable {
  public var throughput: Measurement.Throughput
  public var latency: Measurement.Latency
  public var contention: Measurement.Contention
  public var bytes: Measurement.Bytes
  /// What each role did, in the workload's order; empty where workers have none.
  public var roles: [Measurement.Role] = []
  public var openLoop = Measurement.OpenLoop()
  /// Empty where no operation was timed by itself.
  public var distributions: [LatencyDistribution] = []
}

/// A trial whose collection did not do what it promises; it is no row.
public struct TrialFailure: Error, CustomStringConvertible {
  public let specification: TrialSpecification
  /// What was expected and what was found.
  public let reason: String

  package init(specification: TrialSpecification, reason: String) {
    self.specification = specification
    self.reason = reason
  }

  /// One line, with the seed.
  public var description: String {
    let contestant = specification.contestant
    return "\(contestant.collection.rawValue) \(contestant.name) \(specification.workload.name), "
      + "\(specification.threads) thread\(specification.threads == 1 ? "" : "s"), size \(specification.size), "
      + "seed \(specification.seed): \(reason)"
  }
}
