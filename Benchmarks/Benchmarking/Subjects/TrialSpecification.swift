import Dispatch
import Measurements
import Threading
import WeakCollections
import Workloads

/// The complete description of one trial.
///
/// A trial creates and prefills the collection. The workers warm up, wait for each other, and run
/// for a fixed time. Then the trial verifies the collection. If the allocator counts, a separate
/// phase counts bytes.
package struct TrialSpecification: Codable, Hashable, Sendable {
  /// The collection to measure.
  package var contestant: Contestant
  /// The workload to run.
  package var workload: Workload
  /// The number of workers.
  package var threads: Int
  /// The number of entries.
  package var entries: Int
  /// The seed of the keys and schedules.
  package var seed: Seed
  /// The number of the repetition, from 1.
  package var number: Int
  /// The number of the run's process that runs the trial, from 1.
  package var session: Int
  /// The duration of the warm-up.
  package var warmupSeconds: Double
  /// The duration of the timed part.
  package var seconds: Double
  /// The driver that runs the workers.
  public internal(set) var driver = Driver.threads
  /// Whether the trial omits latencies and bytes, so that the timed part has only operations.
  package var measuresThroughputAlone: Bool
  /// Whether the result has the full distributions of latencies, whose text takes longer to write
  /// than a short trial.
  package var keepsDistributions = false
  /// The pace of the operations.
  ///
  /// In an open loop without a target, every operation is due immediately, which measures the
  /// capacity.
  package var pace: Measurement.Pace

  /// Creates a specification for a trial on threads.
  ///
  /// Traps if the contestant does not support the workload or the pace, if `threads` or `entries`
  /// is not positive, or if `threads` differs from the number of workers of a workload with roles.
  package init(
    contestant: Contestant, workload: Workload, threads: Int, entries: Int, seed: Seed, number: Int,
    session: Int = 1, warmupSeconds: Double, seconds: Double, measuresThroughputAlone: Bool = false,
    pace: Measurement.Pace = .closed
  ) {
    guard contestant.supports(workload) else {
      fatalError(
        "'\(contestant.name)' does not support the workload '\(workload.name)'; "
          + "check supports(_:) first")
    }
    guard threads > 0 else { fatalError("threads must be positive, got \(threads)") }
    guard entries > 0 else { fatalError("entries must be positive, got \(entries)") }
    guard pace.mode == .closed || contestant.isPaceable else {
      fatalError("'\(contestant.name)' does not support open loops; check isPaceable first")
    }
    guard threads == workload.workers ?? threads else {
      fatalError(
        "the roles have \(workload.workers ?? 0) workers, but threads is \(threads); "
          + "pass the number of workers")
    }
    self.contestant = contestant
    self.workload = workload
    self.threads = threads
    self.entries = entries
    self.seed = seed
    self.number = number
    self.session = session
    self.warmupSeconds = warmupSeconds
    self.seconds = seconds
    self.measuresThroughputAlone = measuresThroughputAlone || contestant.timesItself
    self.pace = pace
  }

  /// Returns the same trial on another driver.
  ///
  /// - Returns: `nil` if the driver shares threads and the contestant has its own loop, which
  ///   cannot yield its thread.
  package func driven(by driver: Driver) -> TrialSpecification? {
    guard driver.ownsThreads || !contestant.timesItself else { return nil }
    var specification = self
    specification.driver = driver
    return specification
  }

  /// The estimated duration of the trial, with prefill, verification and byte phase.
  package var estimatedSeconds: Double {
    warmupSeconds + seconds + (countsBytes ? 0.12 : 0.05)
  }

  private var countsBytes: Bool {
    AllocatorProbe.isAvailable && !measuresThroughputAlone && isClosed
  }

  /// The parts that the trial's row can have.
  package var parts: Set<MeasurementCSV.Part> {
    let conditions: [(MeasurementCSV.Part, Bool)] = [
      (.keys, contestant.collection == .dictionary),
      (.roles, !workload.roles.isEmpty),
      (.closedLoop, isClosed),
      (.openLoop, !isClosed),
      (.ownThreads, driver.ownsThreads),
      (.epochs, contestant.reclaimsByEpochs),
      (.bytes, countsBytes),
      (.counters, HardwareCounters.areAvailable && isClosed && driver.ownsThreads),
    ]
    return Set(conditions.filter(\.1).map(\.0))
  }

  /// The configuration for the trial's row, the same for all repetitions.
  package var configuration: Measurement.Configuration {
    let mix = workload.mix
    let isDictionary = contestant.collection == .dictionary
    return Measurement.Configuration(
      collection: contestant.collection.rawValue, backend: contestant.name,
      workload: workload.name,
      shares: Measurement.Shares(
        read: mix.read, insert: mix.insert, update: mix.update, remove: mix.remove,
        iterate: mix.iterate),
      keyType: isDictionary ? workload.entryTypes.key.typeName : nil,
      valueType: isDictionary ? workload.entryTypes.value.typeName : "class",
      keyDistribution: isDictionary ? "\(workload.keyDistribution)" : nil, driver: driver.rawValue,
      threads: threads, entries: entries, pace: pace,
      roles: workload.roles.isEmpty ? nil : Role.text(of: workload.roles))
  }

  var isClosed: Bool { pace.mode == .closed }

  /// The repetition, its seed and its duration, for the trial's row.
  package var trial: Measurement.Trial {
    Measurement.Trial(
      seed: seed.value, number: number, warmupSeconds: warmupSeconds, requestedSeconds: seconds,
      session: session)
  }
}

extension EntryTypes.Key {
  /// The name of the type in the rows.
  package var typeName: String {
    switch self {
    case .int: "Int"
    case .string: "String"
    }
  }
}

extension EntryTypes.Value {
  /// The name of the type in the rows.
  package var typeName: String {
    switch self {
    case .int: "Int"
    case .object: "class"
    }
  }
}

/// The threads that run the workers of a trial.
///
/// | Driver | Workers | Measured figures |
/// |---|---|---|
/// | `threads` | each has its own thread | all |
/// | `gcd` | blocks on one concurrent queue of Dispatch | operations and latency |
/// | `tasks` | tasks on Swift's global executor | operations and latency |
///
/// Dispatch and Swift have about as many threads as cores, independent of the number of workers.
/// There a worker must not wait for another, which may be behind it in the queue; `CommonWindow`
/// avoids such waits. A worker yields its thread after a turn, as `TimedPhase` implements;
/// otherwise the workers behind it would never start.
package enum Driver: String, CaseIterable, Hashable, Codable, Sendable {
  /// One thread per worker.
  case threads
  /// Blocks on one concurrent queue of Dispatch.
  case gcd
  /// Tasks on Swift's global executor.
  case tasks

  /// Whether each worker has its own thread, so that the thread's resource usage is the worker's.
  var ownsThreads: Bool { self == .threads }

  /// Runs `body` with an executor for each of `count` workers.
  func withExecutors<R>(
    _ count: Int, _ body: ([any TaskExecutor]) async throws -> R
  ) async rethrows -> R {
    switch self {
    case .threads:
      try await OwnedThreadExecutor.with(count) { threads in try await body(threads) }
    case .gcd:
      try await body(Array(repeating: QueueExecutor(), count: count))
    case .tasks:
      try await body(Array(repeating: globalConcurrentExecutor, count: count))
    }
  }
}

/// An executor that runs tasks as blocks of one concurrent queue.
final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "weakbench.workers", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
