extension Measurement {
  /// The work of the timed part.
  public struct Throughput: Codable, Hashable, Sendable {
    public var seconds: Double
    /// By all threads together.
    public var operations: Int
    /// What one thread sees.
    public var nanosecondsPerOperation: Double
    /// Of all threads together.
    public var operationsPerSecond: Double

    public init(
      seconds: Double, operations: Int, nanosecondsPerOperation: Double,
      operationsPerSecond: Double
    ) {
      self.seconds = seconds
      self.operations = operations
      self.nanosecondsPerOperation = nanosecondsPerOperation
      self.operationsPerSecond = operationsPerSecond
    }

    /// Derives both rates; `nil` if nothing was done or no time passed, as there is no rate then.
    public init?(seconds: Double, operations: Int, threads: Int) {
      guard seconds > 0, operations > 0, threads > 0 else { return nil }
      self.init(
        seconds: seconds, operations: operations,
        nanosecondsPerOperation: seconds * 1e9 * Double(threads) / Double(operations),
        operationsPerSecond: Double(operations) / seconds)
    }
  }

  /// How long single operations took, of those that were sampled.
  public struct Latency: Codable, Hashable, Sendable {
    /// How many operations were timed one by one.
    public var samples: Int?
    /// What reading the clock costs; it is part of every sample.
    public var clockNanoseconds: Double?
    public var p50Nanoseconds: Double?
    public var p90Nanoseconds: Double?
    public var p99Nanoseconds: Double?
    public var p999Nanoseconds: Double?
    public var maxNanoseconds: Double?

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

  /// How much the threads disturbed each other.
  public struct Contention: Codable, Hashable, Sendable {
    /// How evenly the operations fell to the threads; see `JainIndex`.
    public var jainIndex: Double?
    /// How often a thread gave up its core to wait.
    public var voluntarySwitchesPerOperation: Double?
    /// How often a thread's core was taken away.
    public var involuntarySwitchesPerOperation: Double?
    public var casFailuresPerOperation: Double?
    /// How long a thread was ready to run and had no core.
    public var runQueueWaitNanosecondsPerOperation: Double?
    /// The percentage of the threads' time in which they slept, waiting for each other.
    public var lockWaitShare: Double?
    /// The operations of the thread that made the most, divided by those of the one that made the least.
    public var maxToMinOperations: Double?
    public var reclamation: Reclamation
    public var hardware: Hardware

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

  /// What safe memory reclamation did in the timed part, for a collection that has it.
  public struct Reclamation: Codable, Hashable, Sendable {
    public var advancesPerOperation: Double?
    public var failedAdvancesPerOperation: Double?
    /// The most entries that were retired and not reclaimed, of the samples taken.
    public var limboPeakEntries: Int?

    public init(
      advancesPerOperation: Double? = nil, failedAdvancesPerOperation: Double? = nil,
      limboPeakEntries: Int? = nil
    ) {
      self.advancesPerOperation = advancesPerOperation
      self.failedAdvancesPerOperation = failedAdvancesPerOperation
      self.limboPeakEntries = limboPeakEntries
    }
  }

  /// What the processor's counters say of the threads, outside the kernel.
  public struct Hardware: Codable, Hashable, Sendable {
    public var cyclesPerOperation: Double?
    public var instructionsPerOperation: Double?
    /// Of the last level.
    public var cacheMissesPerOperation: Double?

    public init(
      cyclesPerOperation: Double? = nil, instructionsPerOperation: Double? = nil,
      cacheMissesPerOperation: Double? = nil
    ) {
      self.cyclesPerOperation = cyclesPerOperation
      self.instructionsPerOperation = instructionsPerOperation
      self.cacheMissesPerOperation = cacheMissesPerOperation
    }
  }

  /// The bytes that the allocator counted in a phase of their own, which is not timed.
  ///
  /// They are bytes of the allocator's size classes, at least the requested ones. A figure is `nil` if it was
  /// not counted or would be negative, because another thread freed memory during the phase.
  public struct Bytes: Codable, Hashable, Sendable {
    /// By all threads, Dispatch's included.
    public var allocatedPerOperation: Double?
    public var freedPerOperation: Double?
    /// After everything that can be reclaimed was.
    public var livePerEntry: Double?
    /// The most at any allocation.
    public var peakLive: Int?
    /// What waited to be reclaimed when the last operation had ended; `nil` for a collection that
    /// retires nothing.
    public var limbo: Int?

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

  /// What operations took that were due at times drawn before the clock started; all `nil` in a closed
  /// loop.
  public struct OpenLoop: Codable, Hashable, Sendable {
    /// From an operation's start to its end.
    public var service: Percentiles
    /// From when it was due to its end: what somebody would have waited who asked at that time.
    public var intended: Percentiles
    /// How many operations were due and never started, as the trial had to end. Those are in the
    /// intended times with what they had waited by then, which is less than they would have.
    public var backlog: Int?

    public init(
      service: Percentiles = Percentiles(), intended: Percentiles = Percentiles(),
      backlog: Int? = nil
    ) {
      self.service = service
      self.intended = intended
      self.backlog = backlog
    }
  }

  /// Times by their rank; `nil` where too few operations lie beyond.
  public struct Percentiles: Codable, Hashable, Sendable {
    public var p50Nanoseconds: Double?
    public var p90Nanoseconds: Double?
    public var p99Nanoseconds: Double?
    public var p999Nanoseconds: Double?
    public var p9999Nanoseconds: Double?
    public var maxNanoseconds: Double?

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
  /// They belong to the row of the trial, but to a file of their own; see `RoleCSV`.
  public struct Role: Hashable, Codable, Sendable {
    public var name: String
    public var workers: Int
    /// By all workers of the role; 0 if the others kept them from finishing even one.
    public var operations: Int
    /// What one worker of the role sees; `nil` if nothing was done.
    public var nanosecondsPerOperation: Double?
    /// Of all workers of the role together.
    public var operationsPerSecond: Double
    public var latency: Latency
    /// How evenly operations fell to the workers of the role; see `JainIndex`.
    public var jainIndex: Double?
    /// How often as many the busiest worker made as the idlest; `nil` if that made none.
    public var maxToMinOperations: Double?
    /// By the threads of the role's workers in the byte phase, in an operation of the role.
    public var allocatedBytesPerOperation: Double?
    /// The same; what these threads freed, whoever had allocated it.
    public var freedBytesPerOperation: Double?
    /// All `nil` in a closed loop.
    public var openLoop = OpenLoop()

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

    /// Of an open loop: how many operations each worker starts is drawn, so that they are not even.
    public init(
      name: String, operations: [Int], seconds: Double, latency: Latency, openLoop: OpenLoop
    ) {
      self.init(name: name, operations: operations, seconds: seconds, latency: latency)
      (jainIndex, maxToMinOperations) = (nil, nil)
      self.openLoop = openLoop
    }

    /// From what each worker did in so many seconds, of which there are more than none.
    public init(name: String, operations: [Int], seconds: Double, latency: Latency) {
      precondition(!operations.isEmpty && seconds > 0, "somebody worked for some time")
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
