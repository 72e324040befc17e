extension Measurement {
  /// The work of the timed part.
  public struct Throughput: Codable, Hashable, Sendable {
    /// The duration of the timed part.
    public var seconds: Double
    /// The operations of all threads together.
    public var operations: Int
    /// The time per operation, as one thread sees it.
    public var nanosecondsPerOperation: Double
    /// The operations per second of all threads together.
    public var operationsPerSecond: Double

    /// Creates figures that are already derived.
    public init(
      seconds: Double, operations: Int, nanosecondsPerOperation: Double,
      operationsPerSecond: Double
    ) {
      self.seconds = seconds
      self.operations = operations
      self.nanosecondsPerOperation = nanosecondsPerOperation
      self.operationsPerSecond = operationsPerSecond
    }

    /// Derives both rates, or returns `nil` if a parameter is not positive: there is no rate then.
    public init?(seconds: Double, operations: Int, threads: Int) {
      guard seconds > 0, operations > 0, threads > 0 else { return nil }
      self.init(
        seconds: seconds, operations: operations,
        nanosecondsPerOperation: seconds * 1e9 * Double(threads) / Double(operations),
        operationsPerSecond: Double(operations) / seconds)
    }
  }

  /// The durations of single operations, from a sample.
  public struct Latency: Codable, Hashable, Sendable {
    /// The number of operations that were timed one by one.
    public var samples: Int?
    /// The cost of reading the clock, which every sample includes.
    public var clockNanoseconds: Double?
    /// The median.
    public var p50Nanoseconds: Double?
    /// The 90th percentile.
    public var p90Nanoseconds: Double?
    /// The 99th percentile.
    public var p99Nanoseconds: Double?
    /// The 99.9th percentile.
    public var p999Nanoseconds: Double?
    /// The maximum.
    public var maxNanoseconds: Double?

    /// Creates latencies; by default, nothing was measured.
    public init(
      samples: Int? = nil, clockNanoseconds: Double? = nil, p50Nanoseconds: Double? = nil,
      p90Nanoseconds: Double? = nil, p99Nanoseconds: Double? = nil,
      p999Nanoseconds: Double? = nil, maxNanoseconds: Double? = nil
    ) {
      self.samples = samples
      self.clockNanoseconds = clockNanoseconds
      self.p50Nanoseconds = p50Nanoseconds
      self.p90Nanoseconds = p90Nanoseconds
      self.p99Nanoseconds = p99Nanoseconds
      self.p999Nanoseconds = p999Nanoseconds
      self.maxNanoseconds = maxNanoseconds
    }
  }

  /// The interference between the threads.
  public struct Contention: Codable, Hashable, Sendable {
    /// The fairness between the threads; see `JainIndex`.
    public var jainIndex: Double?
    /// The context switches of threads that blocked.
    public var voluntarySwitchesPerOperation: Double?
    /// The context switches of threads that the scheduler preempted.
    public var involuntarySwitchesPerOperation: Double?
    /// The failed compare-exchange operations.
    public var casFailuresPerOperation: Double?
    /// The time in which a thread was ready to run, but had no core.
    public var runQueueWaitNanosecondsPerOperation: Double?
    /// The percentage of the threads' time in which they slept, waiting for each other.
    public var lockWaitShare: Double?
    /// The operations of the busiest thread, divided by those of the idlest.
    public var maxToMinOperations: Double?
    /// The work of safe memory reclamation.
    public var reclamation: Reclamation
    /// The processor's counters.
    public var hardware: Hardware

    /// Creates figures of contention; by default, nothing was measured.
    public init(
      jainIndex: Double? = nil, voluntarySwitchesPerOperation: Double? = nil,
      involuntarySwitchesPerOperation: Double? = nil, casFailuresPerOperation: Double? = nil,
      runQueueWaitNanosecondsPerOperation: Double? = nil, lockWaitShare: Double? = nil,
      maxToMinOperations: Double? = nil, reclamation: Reclamation = Reclamation(),
      hardware: Hardware = Hardware()
    ) {
      self.jainIndex = jainIndex
      self.voluntarySwitchesPerOperation = voluntarySwitchesPerOperation
      self.involuntarySwitchesPerOperation = involuntarySwitchesPerOperation
      self.casFailuresPerOperation = casFailuresPerOperation
      self.runQueueWaitNanosecondsPerOperation = runQueueWaitNanosecondsPerOperation
      self.lockWaitShare = lockWaitShare
      self.maxToMinOperations = maxToMinOperations
      self.reclamation = reclamation
      self.hardware = hardware
    }
  }

  /// The work of safe memory reclamation in the timed part, for collections that have it.
  public struct Reclamation: Codable, Hashable, Sendable {
    /// The advances of the epoch.
    public var advancesPerOperation: Double?
    /// The failed advances of the epoch.
    public var failedAdvancesPerOperation: Double?
    /// The largest number of entries that a sample found retired and not yet reclaimed.
    public var limboPeakEntries: Int?

    /// Creates figures of reclamation; by default, nothing was measured.
    public init(
      advancesPerOperation: Double? = nil, failedAdvancesPerOperation: Double? = nil,
      limboPeakEntries: Int? = nil
    ) {
      self.advancesPerOperation = advancesPerOperation
      self.failedAdvancesPerOperation = failedAdvancesPerOperation
      self.limboPeakEntries = limboPeakEntries
    }
  }

  /// The processor's counters for the threads, excluding their time in the kernel.
  public struct Hardware: Codable, Hashable, Sendable {
    /// The processor cycles.
    public var cyclesPerOperation: Double?
    /// The instructions.
    public var instructionsPerOperation: Double?
    /// The misses of the last-level cache.
    public var cacheMissesPerOperation: Double?

    /// Creates figures of the counters; by default, nothing was measured.
    public init(
      cyclesPerOperation: Double? = nil, instructionsPerOperation: Double? = nil,
      cacheMissesPerOperation: Double? = nil
    ) {
      self.cyclesPerOperation = cyclesPerOperation
      self.instructionsPerOperation = instructionsPerOperation
      self.cacheMissesPerOperation = cacheMissesPerOperation
    }
  }

  /// The bytes that the allocator counted in the byte phase, which is separate and not timed.
  ///
  /// The allocator rounds each request up to a size class, and the figures count the rounded sizes.
  /// A figure is `nil` if it was not counted, or if it is negative because another thread freed
  /// memory during the phase.
  public struct Bytes: Codable, Hashable, Sendable {
    /// The bytes allocated by all threads, including those of Dispatch.
    public var allocatedPerOperation: Double?
    /// The bytes freed by all threads.
    public var freedPerOperation: Double?
    /// The live bytes per entry, after the collection has reclaimed everything it can.
    public var livePerEntry: Double?
    /// The maximum of the live bytes, updated at every allocation.
    public var peakLive: Int?
    /// The bytes that were retired and not yet reclaimed after the last operation; `nil` for a
    /// collection that retires nothing.
    public var limbo: Int?

    /// Creates figures of bytes; by default, nothing was measured.
    public init(
      allocatedPerOperation: Double? = nil, freedPerOperation: Double? = nil,
      livePerEntry: Double? = nil, peakLive: Int? = nil, limbo: Int? = nil
    ) {
      self.allocatedPerOperation = allocatedPerOperation
      self.freedPerOperation = freedPerOperation
      self.livePerEntry = livePerEntry
      self.peakLive = peakLive
      self.limbo = limbo
    }
  }

  /// The times of an open loop, whose operations are due at times drawn before the clock starts.
  ///
  /// Every figure is `nil` in a closed loop.
  public struct OpenLoop: Codable, Hashable, Sendable {
    /// The service times: from an operation's start to its end.
    public var service: Percentiles
    /// The intended times: from the time at which an operation was due to its end. This is the
    /// latency that a user sees.
    public var intended: Percentiles
    /// The number of operations that were due, but not started before the trial ended.
    ///
    /// `intended` counts each of them with its wait until the end of the trial, which is less than
    /// its true latency.
    public var backlog: Int?

    /// Creates figures of an open loop; by default, nothing was measured.
    public init(
      service: Percentiles = Percentiles(), intended: Percentiles = Percentiles(),
      backlog: Int? = nil
    ) {
      self.service = service
      self.intended = intended
      self.backlog = backlog
    }
  }

  /// Percentiles of times. A percentile is `nil` if too few operations lie beyond it.
  public struct Percentiles: Codable, Hashable, Sendable {
    /// The median.
    public var p50Nanoseconds: Double?
    /// The 90th percentile.
    public var p90Nanoseconds: Double?
    /// The 99th percentile.
    public var p99Nanoseconds: Double?
    /// The 99.9th percentile.
    public var p999Nanoseconds: Double?
    /// The 99.99th percentile.
    public var p9999Nanoseconds: Double?
    /// The maximum.
    public var maxNanoseconds: Double?

    /// Creates percentiles; by default, nothing was measured.
    public init(
      p50Nanoseconds: Double? = nil, p90Nanoseconds: Double? = nil, p99Nanoseconds: Double? = nil,
      p999Nanoseconds: Double? = nil, p9999Nanoseconds: Double? = nil,
      maxNanoseconds: Double? = nil
    ) {
      self.p50Nanoseconds = p50Nanoseconds
      self.p90Nanoseconds = p90Nanoseconds
      self.p99Nanoseconds = p99Nanoseconds
      self.p999Nanoseconds = p999Nanoseconds
      self.p9999Nanoseconds = p9999Nanoseconds
      self.maxNanoseconds = maxNanoseconds
    }
  }

  /// The figures of the workers of one role in a trial.
  ///
  /// They belong to the row of the trial, but are stored in a separate file; see `RoleCSV`.
  public struct Role: Hashable, Codable, Sendable {
    /// The name of the role.
    public var name: String
    /// The number of workers of the role.
    public var workers: Int
    /// The operations of all workers of the role; 0 if the other roles starved them.
    public var operations: Int
    /// The time per operation, as one worker of the role sees it; `nil` without operations.
    public var nanosecondsPerOperation: Double?
    /// The operations per second of all workers of the role together.
    public var operationsPerSecond: Double
    /// The durations of single operations.
    public var latency: Latency
    /// The fairness between the workers of the role; see `JainIndex`.
    public var jainIndex: Double?
    /// The operations of the busiest worker, divided by those of the idlest; `nil` if that is 0.
    public var maxToMinOperations: Double?
    /// The bytes that the threads of the role's workers allocated in the byte phase, per operation
    /// of the role.
    public var allocatedBytesPerOperation: Double?
    /// The bytes that these threads freed, per operation; another thread may have allocated them.
    public var freedBytesPerOperation: Double?
    /// The times of an open loop; all `nil` in a closed one.
    public var openLoop = OpenLoop()

    /// Creates figures that are already derived.
    public init(
      name: String, workers: Int, operations: Int, nanosecondsPerOperation: Double? = nil,
      operationsPerSecond: Double, latency: Latency = Latency(), jainIndex: Double? = nil,
      maxToMinOperations: Double? = nil, allocatedBytesPerOperation: Double? = nil,
      freedBytesPerOperation: Double? = nil
    ) {
      self.name = name
      self.workers = workers
      self.operations = operations
      self.nanosecondsPerOperation = nanosecondsPerOperation
      self.operationsPerSecond = operationsPerSecond
      self.latency = latency
      self.jainIndex = jainIndex
      self.maxToMinOperations = maxToMinOperations
      self.allocatedBytesPerOperation = allocatedBytesPerOperation
      self.freedBytesPerOperation = freedBytesPerOperation
    }

    /// Creates the figures of a role in an open loop.
    ///
    /// Fairness is `nil`: the schedule draws the number of operations of each worker, so these
    /// numbers are never even.
    public init(
      name: String, operations: [Int], seconds: Double, latency: Latency, openLoop: OpenLoop
    ) {
      self.init(name: name, operations: operations, seconds: seconds, latency: latency)
      (jainIndex, maxToMinOperations) = (nil, nil)
      self.openLoop = openLoop
    }

    /// Derives the figures of a role in a closed loop.
    ///
    /// - Parameters:
    ///   - name: The name of the role.
    ///   - operations: The operations of each worker; traps if there are no workers.
    ///   - seconds: The duration; traps unless it is positive.
    ///   - latency: The durations of single operations.
    public init(name: String, operations: [Int], seconds: Double, latency: Latency) {
      guard !operations.isEmpty else {
        fatalError("the role '\(name)' has no workers; pass at least one")
      }
      guard seconds > 0 else { fatalError("seconds must be positive, got \(seconds)") }
      let all = operations.reduce(0, +)
      let throughput = Throughput(seconds: seconds, operations: all, threads: operations.count)
      let least = operations.min() ?? 0
      self.init(
        name: name, workers: operations.count, operations: all,
        nanosecondsPerOperation: throughput?.nanosecondsPerOperation,
        operationsPerSecond: Double(all) / seconds, latency: latency,
        jainIndex: JainIndex.of(operations.map(Double.init)),
        maxToMinOperations: least > 0 ? Double(operations.max() ?? 0) / Double(least) : nil)
    }
  }
}
