/// The figures of one trial, and everything needed to repeat it: one row of the CSV.
///
/// A figure that was not measured is `nil`, never 0. `MeasurementCSV` writes and reads
/// measurements.
public struct Measurement: Hashable, Sendable {
  /// The identifier of the row, and the run that it belongs to.
  public var identity: Identity
  /// The machine, the toolchain and the commit.
  public var environment: Environment
  /// The experiment.
  public var configuration: Configuration
  /// The repetition, its seed and its duration.
  public var trial: Trial
  /// The operations and their rate.
  public var throughput: Throughput
  /// The durations of single operations.
  public var latency: Latency
  /// The interference between the threads.
  public var contention: Contention
  /// The allocated bytes.
  public var bytes: Bytes
  /// The times of an open loop.
  public var openLoop: OpenLoop
  /// The figures of each role; empty if workers have no roles. `RoleCSV` stores them in a separate
  /// file.
  public var roles: [Role] = []

  /// Creates a row without roles.
  public init(
    identity: Identity, environment: Environment, configuration: Configuration, trial: Trial,
    throughput: Throughput, latency: Latency = Latency(), contention: Contention = Contention(),
    bytes: Bytes = Bytes(), openLoop: OpenLoop = OpenLoop()
  ) {
    self.identity = identity
    self.environment = environment
    self.configuration = configuration
    self.trial = trial
    self.throughput = throughput
    self.latency = latency
    self.contention = contention
    self.bytes = bytes
    self.openLoop = openLoop
  }

  /// The kind of contestant.
  public enum Kind: String, CaseIterable, Sendable {
    /// A backend of this package.
    case subject
    /// A reference for the cost of the benchmark itself, or of unshared work.
    case baseline
    /// An alternative to the backends of this package.
    case peer
  }
}

extension Measurement {
  /// The identity of a row, unique among all rows of all files.
  public struct Identity: Hashable, Sendable {
    /// The identifier of the row: the run and a number, such as `run-2fa9-17`.
    public var row: String
    /// The kind of contestant.
    public var kind: Kind
    /// The identifier of the run, the same in all rows of one `weakbench run`.
    public var run: String
    /// The end of the trial in ISO 8601 and UTC, such as `2026-08-01T12:34:56Z`.
    public var timestamp: String
    /// The identifier of the plan; `nil` in new files. Runs with the same options, seed and program
    /// have the same plan, on any machine.
    public var plan: String?
    /// The fraction of the plan that the run measured, such as `2-of-4`; `nil` for all of it, and
    /// in new files.
    public var shard: String?

    /// Creates an identity.
    public init(
      row: String, kind: Kind, run: String, timestamp: String, plan: String? = nil,
      shard: String? = nil
    ) {
      self.row = row
      self.kind = kind
      self.run = run
      self.timestamp = timestamp
      self.plan = plan
      self.shard = shard
    }
  }

  /// The machine, the toolchain and the commit of a trial.
  public struct Environment: Hashable, Sendable {
    /// The label of the machine, the same in every run; never the name of the host.
    public var machine: String
    /// The processor's model.
    public var cpu: String?
    /// The number of cores that the process may use, after affinity and quotas.
    public var cores: Int
    /// The number of cores of the machine.
    public var hostCores: Int?
    /// The operating system.
    public var os: String?
    /// The kernel, as `uname -srm` prints it.
    public var kernel: String?
    /// The compiler, such as `swift-6.3.1`.
    public var swift: String
    /// The algorithm of `Synchronization.Mutex`, such as `priority-inheritance`.
    public var mutexFlavor: String?
    /// The allocator, which also counts the bytes.
    public var allocator: String
    /// The build of the benchmark: `release` or `debug`, followed by the sanitizers and traits that
    /// cost time, as in `release+InternalChecks`.
    public var buildConfiguration: String
    /// The commit: `g` and the hash, followed by `-dirty` if there were changes.
    public var commit: String?

    /// Creates an environment.
    public init(
      machine: String, cpu: String? = nil, cores: Int, hostCores: Int? = nil, os: String? = nil,
      kernel: String? = nil, swift: String, mutexFlavor: String? = nil, allocator: String,
      buildConfiguration: String, commit: String? = nil
    ) {
      self.machine = machine
      self.cpu = cpu
      self.cores = cores
      self.hostCores = hostCores
      self.os = os
      self.kernel = kernel
      self.swift = swift
      self.mutexFlavor = mutexFlavor
      self.allocator = allocator
      self.buildConfiguration = buildConfiguration
      self.commit = commit
    }
  }

  /// The experiment: the properties that its repeated trials share, on any machine.
  public struct Configuration: Hashable, Sendable {
    /// The abstract type, such as `weak-array`.
    public var collection: String
    /// The name of the backend, peer or baseline, in kebab-case.
    public var backend: String
    /// The name of the workload.
    public var workload: String
    /// The operation mix.
    public var shares: Shares
    /// The type of the keys, or `nil` if the collection has none.
    public var keyType: String?
    /// The type of the values or elements.
    public var valueType: String?
    /// The distribution of the keys, or `nil` if the collection has none.
    public var keyDistribution: String?
    /// The driver that runs the workers, such as `threads`.
    public var driver: String
    /// The number of workers.
    public var threads: Int
    /// The requested number of entries.
    public var entries: Int
    /// The pace of the operations.
    public var pace: Pace
    /// The workers of each role, such as `reader=3 writer=1`; `nil` if workers have no roles.
    public var roles: String?

    /// Creates a configuration; by default, of a closed loop without roles.
    public init(
      collection: String, backend: String, workload: String, shares: Shares,
      keyType: String? = nil, valueType: String? = nil, keyDistribution: String? = nil,
      driver: String, threads: Int, entries: Int, pace: Pace = .closed,
      roles: String? = nil
    ) {
      self.collection = collection
      self.backend = backend
      self.workload = workload
      self.shares = shares
      self.keyType = keyType
      self.valueType = valueType
      self.keyDistribution = keyDistribution
      self.driver = driver
      self.threads = threads
      self.entries = entries
      self.pace = pace
      self.roles = roles
    }
  }

  /// The operation mix, in percent.
  public struct Shares: Hashable, Sendable {
    /// The percentage of reads.
    public var read: Int
    /// The percentage of inserts.
    public var insert: Int
    /// The percentage of updates.
    public var update: Int
    /// The percentage of removals.
    public var remove: Int
    /// The percentage of iterations.
    public var iterate: Int

    /// Creates a mix.
    public init(read: Int, insert: Int, update: Int, remove: Int, iterate: Int) {
      self.read = read
      self.insert = insert
      self.update = update
      self.remove = remove
      self.iterate = iterate
    }
  }

  /// The rule by which a worker starts its next operation.
  public enum Mode: String, CaseIterable, Codable, Sendable {
    /// An operation starts when the previous one ends. A pause delays the operations after it, and
    /// so hides how many requests would have waited (coordinated omission).
    case closed
    /// An operation starts when it is due, even if the previous one is late.
    case open
  }

  /// The pace of the operations.
  public struct Pace: Codable, Hashable, Sendable {
    /// The rule by which operations start.
    public var mode: Mode
    /// The target rate of all threads together, or `nil` in a closed loop.
    public var targetOperationsPerSecond: Double?
    /// The target as a percentage of the measured capacity, or `nil` if the target was given.
    public var loadPercent: Int?

    /// Creates a pace.
    public init(mode: Mode, targetOperationsPerSecond: Double? = nil, loadPercent: Int? = nil) {
      self.mode = mode
      self.targetOperationsPerSecond = targetOperationsPerSecond
      self.loadPercent = loadPercent
    }

    /// The pace of a closed loop.
    public static let closed = Pace(mode: .closed)
  }

  /// The number of this repetition, its seed and its requested duration.
  public struct Trial: Hashable, Sendable {
    /// The seed, below 2⁵³, so that a spreadsheet keeps every digit.
    public var seed: UInt64
    /// The number of the repetition within its run and configuration, from 1.
    public var number: Int
    /// The duration of the warm-up.
    public var warmupSeconds: Double?
    /// The requested duration of the timed part.
    public var requestedSeconds: Double
    /// The number of the session in the run, from 1. It is `nil` in files that are older than the
    /// column, whose runs were one session each.
    public var session: Int?

    /// Creates a repetition.
    public init(
      seed: UInt64, number: Int, warmupSeconds: Double? = nil, requestedSeconds: Double,
      session: Int? = nil
    ) {
      self.seed = seed
      self.number = number
      self.warmupSeconds = warmupSeconds
      self.requestedSeconds = requestedSeconds
      self.session = session
    }
  }

  /// A session: one process of a run.
  ///
  /// Its trials share the placement of memory and the period of time, so they differ less than
  /// trials of different sessions.
  public struct Session: Hashable, Sendable {
    /// The identifier of the run.
    public let run: String
    /// The number of the session in the run, from 1.
    public let number: Int

    /// Creates a session.
    public init(run: String, number: Int) {
      self.run = run
      self.number = number
    }
  }

  /// The session of the trial; in older files, each run was one process.
  public var session: Session { Session(run: identity.run, number: trial.session ?? 1) }
}
