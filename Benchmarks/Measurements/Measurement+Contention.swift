extension Measurement {
  /// How much the threads were in each other's way.
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
}
