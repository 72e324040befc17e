import Measurements
import WeakCollections
import Workloads

/// Everything that determines one trial.
///
/// A trial: the collection is made and prefilled, the workers warm up, wait for each other, run for a
/// fixed time, and are verified. Then, where the allocator counts, a phase of its own counts bytes.
public struct TrialSpecification: Hashable, Sendable {
  public var contestant: Contestant
  public var workload: Workload
  public var threads: Int
  public var size: Int
  public var seed: Seed
  /// Counts from 1 within the configuration.
  public var number: Int
  public var warmupSeconds: Double
  public var seconds: Double

  public init(
    contestant: Contestant, workload: Workload, threads: Int, size: Int, seed: Seed, number: Int,
    warmupSeconds: Double, seconds: Double
  ) {
    precondition(contestant.supports(workload), "\(contestant.name) supports \(workload.name)")
    precondition(threads > 0 && size > 0, "threads and size are positive")
    self.contestant = contestant
    self.workload = workload
    self.threads = threads
    self.size = size
    self.seed = seed
    self.number = number
    self.warmupSeconds = warmupSeconds
    self.seconds = seconds
  }

  /// What the trial will take with prefill, verification and byte phase, about.
  public var estimatedSeconds: Double {
    warmupSeconds + seconds + (AllocatorProbe.isAvailable ? 0.12 : 0.05)
  }

  /// What all repetitions of the trial have in common, for its row.
  public var configuration: Measurement.Configuration {
    let mix = workload.mix
    let isDictionary = contestant.collection == .dictionary
    return Measurement.Configuration(
      collection: contestant.collection.rawValue, backend: contestant.name,
      workload: workload.name,
      shares: Measurement.Shares(
        read: mix.read, insert: mix.insert, update: mix.update, remove: mix.remove,
        iterate: mix.iterate),
      keyType: isDictionary ? "Int" : nil, valueType: isDictionary ? "Int" : "class",
      keyDistribution: isDictionary ? KeyDistribution.uniform.rawValue : nil, driver: "threads",
      threads: threads, size: size)
  }

  /// The trial's part of its row.
  public var trial: Measurement.Trial {
    Measurement.Trial(
      seed: seed.value, number: number, warmupSeconds: warmupSeconds, requestedSeconds: seconds)
  }
}
