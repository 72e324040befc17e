/// The figures of one trial, and everything needed to repeat it: one row of the CSV.
///
/// A figure that was not measured is `nil`, never 0. `MeasurementCSV` writes and reads measurements.
public struct Measurement: Hashable, Sendable {
  public var identity: Identity
  public var environment: Environment
  public var configuration: Configuration
  public var trial: Trial
  public var throughput: Throughput
  public var latency: Latency
  public var contention: Contention
  public var bytes: Bytes
  public var openLoop: OpenLoop
  /// The figures of each role; empty if workers have no roles. They have a file of their own, see `RoleCSV`.
  public var roles: [Role] = []

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
    /// A backend of ours.
    case subject
    /// The empty loop: the cost of the benchmark itself.
    case baseline
    /// An alternative to our backends.
    case peer
  }
}

extension Measurement {
  /// Identifies a row among all that were ever written.
  public struct Identity: Hashable, Sendable {
    /// Unique in all files: the run and a number, such as `run-2fa9-17`.
    public var row: String
    public var kind: Kind
    /// Shared by the rows of one `weakbench run`.
    public var run: String
    /// When the trial ended: ISO 8601 in UTC, such as `2026-08-01T12:34:56Z`.
    public var timestamp: String
    /// Shared by rows of the same options, seed and program, whichever runs and machines they are of.
    public var plan: String?
    /// Which part of the plan the run was to make, such as `2-of-4`; `nil` for all of it.
    public var shard: String?

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
    /// A stable label of the machine, never the name of the host.
    public var machine: String
    /// The processor's model.
    public var cpu: String?
    /// How many cores this process may use, after affinity and quotas.
    public var cores: Int
    /// How many cores the machine has.
    public var hostCores: Int?
    public var os: String?
    public var kernel: String?
    /// The compiler, such as `swift-6.3.1`.
    public var swift: String
    /// How `Synchronization.Mutex` waits here, such as `pi-futex`.
    public var mutexFlavor: String?
    /// Which allocator served, and so counted, the memory.
    public var allocator: String
    /// How the benchmark was built: `release`, `debug`, `release+unoptimized-allowed`.
    public var buildConfiguration: String
    /// `g` and the hash, followed by `-dirty` if there were changes.
    public var commit: String?

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

  /// What repeated trials of one experiment have in common, on any machine.
  public struct Configuration: Hashable, Sendable {
    /// The abstract type, such as `weak-array`.
    public var collection: String
    /// A backend in kebab-case; baselines and peers have names of their own.
    public var backend: String
    public var workload: String
    public var shares: Shares
    /// `nil` where the collection has no keys; so for `keyDistribution`.
    public var keyType: String?
    public var valueType: String?
    public var keyDistribution: String?
    /// What runs the workers, such as `threads`.
    public var driver: String
    public var threads: Int
    /// How many entries were asked for.
    public var size: Int
    public var pace: Pace
    /// Which workers do what, such as `reader=3 writer=1`; `nil` where all do the same.
    public var roles: String?

    public init(
      collection: String, backend: String, workload: String, shares: Shares,
      keyType: String? = nil, valueType: String? = nil, keyDistribution: String? = nil,
      driver: String, threads: Int, size: Int, pace: Pace = .closed,
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
      self.size = size
      self.pace = pace
      self.roles = roles
    }
  }

  /// The operation mix, in percent.
  public struct Shares: Hashable, Sendable {
    public var read: Int
    public var insert: Int
    public var update: Int
    public var remove: Int
    public var iterate: Int

    public init(read: Int, insert: Int, update: Int, remove: Int, iterate: Int) {
      self.read = read
      self.insert = insert
      self.update = update
      self.remove = remove
      self.iterate = iterate
    }
  }

  /// When a worker starts its next operation.
  public enum Mode: String, CaseIterable, Codable, Sendable {
    /// At the end of its last one. A pause then delays the operations after it, and hides how many requests
    /// would have waited.
    case closed
    /// When the operation is due, whether or not the last one is done.
    case open
  }

  /// How often operations start.
  public struct Pace: Codable, Hashable, Sendable {
    public var mode: Mode
    /// By all threads together; `nil` in a closed loop.
    public var targetOperationsPerSecond: Double?
    /// The target as a share of the capacity found; `nil` if the target was given.
    public var loadPercent: Int?

    public init(mode: Mode, targetOperationsPerSecond: Double? = nil, loadPercent: Int? = nil) {
      self.mode = mode
      self.targetOperationsPerSecond = targetOperationsPerSecond
      self.loadPercent = loadPercent
    }

    public static let closed = Pace(mode: .closed)
  }

  /// The number of this repetition, its seed and its requested duration.
  public struct Trial: Hashable, Sendable {
    /// Below 2⁵³, so that a spreadsheet keeps every digit.
    public var seed: UInt64
    /// Counts from 1 within its run and configuration.
    public var number: Int
    public var warmupSeconds: Double?
    public var requestedSeconds: Double
    /// Which of the run's processes made it, counted from 1; `nil` in files older than the column,
    /// whose runs were one process.
    public var fork: Int?

    public init(
      seed: UInt64, number: Int, warmupSeconds: Double? = nil, requestedSeconds: Double,
      fork: Int? = nil
    ) {
      self.seed = seed
      self.number = number
      self.warmupSeconds = warmupSeconds
      self.requestedSeconds = requestedSeconds
      self.fork = fork
    }
  }

  /// A process of a run. Its trials share the placement of memory and the time, so that they are more alike
  /// than trials of several processes.
  public struct Process: Hashable, Sendable {
    let run: String
    let fork: Int
  }

  /// The process that made the trial. In older files each run was one process.
  public var process: Process { Process(run: identity.run, fork: trial.fork ?? 1) }
}
