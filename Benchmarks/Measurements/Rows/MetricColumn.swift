/// A column of figures of which either the smaller or the larger ones are better. The raw value is
/// the column's name in CSV.
public enum MetricColumn: String, CaseIterable, Sendable {
  /// The time per operation, as one thread sees it.
  case nanosecondsPerOperation = "ns_per_op"
  /// The throughput of all threads together.
  case operationsPerSecond = "ops_per_second"
  /// The median latency.
  case p50 = "p50_ns"
  /// The 90th percentile of the latency.
  case p90 = "p90_ns"
  /// The 99th percentile of the latency.
  case p99 = "p99_ns"
  /// The 99.9th percentile of the latency.
  case p999 = "p999_ns"
  /// The longest latency.
  case max = "max_ns"
  /// The fairness between threads; see `JainIndex`.
  case jainIndex = "jain_index"
  /// The context switches of threads that blocked.
  case voluntarySwitchesPerOperation = "voluntary_switches_per_op"
  /// The context switches of threads that the scheduler preempted.
  case involuntarySwitchesPerOperation = "involuntary_switches_per_op"
  /// The failed compare-exchange operations.
  case casFailuresPerOperation = "cas_failures_per_op"
  /// The allocated bytes.
  case allocatedBytesPerOperation = "allocated_bytes_per_op"
  /// The live bytes per entry.
  case liveBytesPerEntry = "live_bytes_per_entry"
  /// The maximum of the live bytes.
  case peakLiveBytes = "peak_live_bytes"
  /// The time in which threads were ready to run, but had no core.
  case runQueueWaitNanosecondsPerOperation = "run_queue_wait_ns_per_op"
  /// The percentage of the threads' time in which they were blocked.
  case lockWaitShare = "lock_wait_share"
  /// The operations of the busiest thread, divided by those of the idlest.
  case maxToMinOperations = "max_to_min_operations"
  /// The advances of the epoch.
  case epochAdvancesPerOperation = "epoch_advances_per_op"
  /// The failed advances of the epoch.
  case failedAdvancesPerOperation = "failed_advances_per_op"
  /// The maximum number of retired and not yet reclaimed entries.
  case limboPeakEntries = "limbo_peak_entries"
  /// The processor cycles outside the kernel.
  case cyclesPerOperation = "cycles_per_op"
  /// The instructions outside the kernel.
  case instructionsPerOperation = "instructions_per_op"
  /// The misses of the last-level cache.
  case cacheMissesPerOperation = "cache_misses_per_op"
  /// The median service time.
  case serviceP50 = "service_p50_ns"
  /// The 90th percentile of the service time.
  case serviceP90 = "service_p90_ns"
  /// The 99th percentile of the service time.
  case serviceP99 = "service_p99_ns"
  /// The 99.9th percentile of the service time.
  case serviceP999 = "service_p999_ns"
  /// The 99.99th percentile of the service time.
  case serviceP9999 = "service_p9999_ns"
  /// The longest service time.
  case serviceMax = "service_max_ns"
  /// The median time since an operation was due.
  case intendedP50 = "intended_p50_ns"
  /// The 90th percentile of the time since an operation was due.
  case intendedP90 = "intended_p90_ns"
  /// The 99th percentile of the time since an operation was due.
  case intendedP99 = "intended_p99_ns"
  /// The 99.9th percentile of the time since an operation was due.
  case intendedP999 = "intended_p999_ns"
  /// The 99.99th percentile of the time since an operation was due.
  case intendedP9999 = "intended_p9999_ns"
  /// The longest time since an operation was due.
  case intendedMax = "intended_max_ns"
  /// The retired and not yet reclaimed bytes at the end.
  case limboBytes = "limbo_bytes"

  /// Whether the smaller of two values is the better one.
  public var isSmallerBetter: Bool {
    switch self {
    case .operationsPerSecond, .jainIndex: false
    default: true
    }
  }

  /// Returns the figure in `measurement`, or `nil` if it was not measured.
  ///
  /// In an open loop, `nanosecondsPerOperation` is always `nil`: the schedule determines it, not
  /// the collection.
  public func value(in measurement: Measurement) -> Double? {
    let (latency, contention, bytes) =
      (measurement.latency, measurement.contention, measurement.bytes)
    let (service, intended) = (measurement.openLoop.service, measurement.openLoop.intended)
    switch self {
    case .nanosecondsPerOperation:
      let isClosed = measurement.configuration.pace.mode == .closed
      return isClosed ? measurement.throughput.nanosecondsPerOperation : nil
    case .operationsPerSecond: return measurement.throughput.operationsPerSecond
    case .p50: return latency.p50Nanoseconds
    case .p90: return latency.p90Nanoseconds
    case .p99: return latency.p99Nanoseconds
    case .p999: return latency.p999Nanoseconds
    case .max: return latency.maxNanoseconds
    case .jainIndex: return contention.jainIndex
    case .voluntarySwitchesPerOperation: return contention.voluntarySwitchesPerOperation
    case .involuntarySwitchesPerOperation: return contention.involuntarySwitchesPerOperation
    case .casFailuresPerOperation: return contention.casFailuresPerOperation
    case .allocatedBytesPerOperation: return bytes.allocatedPerOperation
    case .liveBytesPerEntry: return bytes.livePerEntry
    case .peakLiveBytes: return bytes.peakLive.map { Double($0) }
    case .runQueueWaitNanosecondsPerOperation:
      return contention.runQueueWaitNanosecondsPerOperation
    case .lockWaitShare: return contention.lockWaitShare
    case .maxToMinOperations: return contention.maxToMinOperations
    case .epochAdvancesPerOperation: return contention.reclamation.advancesPerOperation
    case .failedAdvancesPerOperation: return contention.reclamation.failedAdvancesPerOperation
    case .limboPeakEntries: return contention.reclamation.limboPeakEntries.map { Double($0) }
    case .cyclesPerOperation: return contention.hardware.cyclesPerOperation
    case .instructionsPerOperation: return contention.hardware.instructionsPerOperation
    case .cacheMissesPerOperation: return contention.hardware.cacheMissesPerOperation
    case .serviceP50: return service.p50Nanoseconds
    case .serviceP90: return service.p90Nanoseconds
    case .serviceP99: return service.p99Nanoseconds
    case .serviceP999: return service.p999Nanoseconds
    case .serviceP9999: return service.p9999Nanoseconds
    case .serviceMax: return service.maxNanoseconds
    case .intendedP50: return intended.p50Nanoseconds
    case .intendedP90: return intended.p90Nanoseconds
    case .intendedP99: return intended.p99Nanoseconds
    case .intendedP999: return intended.p999Nanoseconds
    case .intendedP9999: return intended.p9999Nanoseconds
    case .intendedMax: return intended.maxNanoseconds
    case .limboBytes: return bytes.limbo.map { Double($0) }
    }
  }
}

extension MetricColumn {
  /// Whether the figure is a high percentile of an open loop.
  ///
  /// A backend may collapse in one trial and not in the next. For example, a mutex that two threads
  /// share has a fast and a slow mode of waiting. At a rate between those that the modes sustain,
  /// chance decides which mode a trial gets. The median over trials is then a coin flip, and a
  /// higher load may look better.
  var isTailOfOpenLoop: Bool {
    switch self {
    case .serviceP99, .serviceP999, .serviceP9999, .serviceMax, .intendedP99, .intendedP999,
      .intendedP9999, .intendedMax:
      true
    default: false
    }
  }

  /// Returns the figure of a series; `nil` if no trial measured it.
  public func figure(of trials: [Measurement]) -> Double? {
    figure(of: trials.compactMap(value(in:)))
  }

  /// Returns one figure for the values of several trials, or `nil` if there are none.
  ///
  /// It is the maximum for a high percentile of an open loop, the rate at the median time for a
  /// rate, and the median for any other metric.
  public func figure(of values: [Double]) -> Double? {
    if isTailOfOpenLoop { return values.max() }
    return self == .operationsPerSecond
      ? Statistics.medianRate(of: values) : Statistics.median(values)
  }
}
