/// Which figures of contention this host lets a trial have. What it does not is empty in a row.
public struct MeasuredContention: Equatable, Sendable {
  /// Whether the scheduler says how long a thread was ready to run without a core.
  public let hasRunQueueWait: Bool
  public let countsCycles: Bool
  public let countsInstructions: Bool
  public let countsCacheMisses: Bool

  /// Takes some microseconds, the first time.
  public static var ofThisHost: MeasuredContention {
    let counts = HardwareCounters().counts
    return MeasuredContention(
      hasRunQueueWait: SchedulerStatistics.ofThisThread != nil, countsCycles: counts.cycles != nil,
      countsInstructions: counts.instructions != nil,
      countsCacheMisses: counts.cacheMisses != nil)
  }
}
