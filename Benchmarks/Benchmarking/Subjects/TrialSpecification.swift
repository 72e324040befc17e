import Dispatch
import Measurements
import Threading
import WeakCollections
import Workloads

/// Everything that determines one trial.
///
/// A trial: the collection is made and prefilled, the workers warm up, wait for each other, run for a
/// fixed time, and are verified. Then, where the allocator counts, a phase of its own counts bytes.
public struct TrialSpecification: Codable, Hashable, Sendable {
  public var contestant: Contestant
  public var workload: Workload
  public var threads: Int
  public var size: Int
  public var seed: Seed
  /// Counts from 1 within the configuration.
  public var number: Int
  /// Which of the run's processes makes the trial; counts from 1.
  public var fork: Int
  public var warmupSeconds: Double
  public var seconds: Double
  public internal(set) var driver = Driver.threads
  /// Whether no latency is sampled and no byte counted: then nothing but the operations is timed.
  public var measuresThroughputAlone: Bool
  /// An open loop without a target is one in which everything is due at once: it finds the capacity.
  public var pace: Measurement.Pace

  public init(
    contestant: Contestant, workload: Workload, threads: Int, size: Int, seed: Seed, number: Int,
    fork: Int = 1, warmupSeconds: Double, seconds: Double, measuresThroughputAlone: Bool = false,
    pace: Measurement.Pace = .closed
  ) {
    precondition(contestant.supports(workload), "\(contestant.name) supports \(workload.name)")
    precondition(threads > 0 && size > 0, "threads and size are positive")
    precondition(pace.mode == .closed || contestant.isPaceable, "\(contestant.name) can be paced")
    precondition(
      threads == workload.workers ?? threads, "there are as many threads as workers with roles")
    self.contestant = contestant
    self.workload = workload
    self.threads = threads
    self.size = size
    self.seed = seed
    self.number = number
    self.fork = fork
    self.warmupSeconds = warmupSeconds
    self.seconds = seconds
    self.measuresThroughputAlone = measuresThroughputAlone || contestant.timesItself
    self.pace = pace
  }

  /// The same trial on another driver; nil for what brings its own loop and so never takes turns.
  public func driven(by driver: Driver) -> TrialSpecification? {
    guard driver.ownsThreads || !contestant.timesItself else { return nil }
    var specification = self
    specification.driver = driver
    return specification
  }

  /// What the trial will take with prefill, verification and byte phase, about.
  public var estimatedSeconds: Double {
    let countsBytes = AllocatorProbe.isAvailable && !measuresThroughputAlone && isClosed
    return warmupSeconds + seconds + (countsBytes ? 0.12 : 0.05)
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
      keyType: isDictionary ? workload.entries.key.typeName : nil,
      valueType: isDictionary ? workload.entries.value.typeName : "class",
      keyDistribution: isDictionary ? "\(workload.keyDistribution)" : nil, driver: driver.rawValue,
      threads: threads, size: size, pace: pace,
      roles: workload.roles.isEmpty ? nil : Role.text(of: workload.roles))
  }

  var isClosed: Bool { pace.mode == .closed }

  /// The trial's part of its row.
  public var trial: Measurement.Trial {
    Measurement.Trial(
      seed: seed.value, number: number, warmupSeconds: warmupSeconds, requestedSeconds: seconds,
      fork: fork)
  }
}

extension EntryTypes.Key {
  /// As in the rows.
  fileprivate var typeName: String {
    switch self {
    case .int: "Int"
    case .string: "String"
    }
  }
}

extension EntryTypes.Value {
  /// As in the rows.
  fileprivate var typeName: String {
    switch self {
    case .int: "Int"
    case .object: "class"
    }
  }
}

/// What runs the workers of a trial.
///
/// | Driver | Workers | What of them is known |
/// |---|---|---|
/// | `threads` | each has a thread of its own and keeps it | everything |
/// | `gcd` | blocks on one concurrent queue of Dispatch | operations and latency |
/// | `tasks` | tasks on the global executor of Swift | operations and latency |
///
/// Dispatch and Swift have about as many threads as cores, however many workers there are. On those a
/// worker must not wait for another: who would have to come may be behind it in the queue. So nobody
/// does, see `CommonWindow`; and a worker hands its thread on after a turn, see `TimingLoop.runInTurns`,
/// since else those behind it would never begin.
public enum Driver: String, CaseIterable, Hashable, Codable, Sendable {
  case threads
  case gcd
  case tasks

  /// Whether a worker's thread is its own, so that what the thread has used is the worker's use.
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
