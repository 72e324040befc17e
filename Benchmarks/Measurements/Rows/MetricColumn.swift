/// A column with a figure that has a direction: of two values one is better.
public enum MetricColumn: String, CaseIterable, Sendable {
  case nanosecondsPerOperation = "ns_per_op"
  case operationsPerSecond = "ops_per_second"
  case p50 = "p50_ns"
  case p90 = "p90_ns"
  case p99 = "p99_ns"
  case p999 = "p999_ns"
  case max = "max_ns"
  case jainIndex = "jain_index"
  case voluntarySwitchesPerOperation = "voluntary_switches_per_op"
  case involuntarySwitchesPerOperation = "involuntary_switches_per_op"
  case casFailuresPerOperation = "cas_failures_per_op"
  case allocatedBytesPerOperation = "allocated_bytes_per_op"
  case liveBytesPerEntry = "live_bytes_per_entry"
  case peakLiveBytes = "peak_live_bytes"
  case runQueueWaitNanosecondsPerOperation = "run_queue_wait_ns_per_op"
  case lockWaitShare = "lock_wait_share"
  case maxToMinOperations = "max_to_min_operations"
  case epochAdvancesPerOperation = "epoch_advances_per_op"
  case failedAdvancesPerOperation = "failed_advances_per_op"
  case limboPeakEntries = "limbo_peak_entries"
  case cyclesPerOperation = "cycles_per_op"
  case instructionsPerOperation = "instructions_per_op"
  case cacheMissesPerOperation = "cache_misses_per_op"
  case serviceP50 = "service_p50_ns"
  case serviceP90 = "service_p90_ns"
  case serviceP99 = "service_p99_ns"
  case serviceP999 = "service_p999_ns"
  case serviceP9999 = "service_p9999_ns"
  case serviceMax = "service_max_ns"
  case intendedP50 = "intended_p50_ns"
  case intendedP90 = "intended_p90_ns"
  case intendedP99 = "intended_p99_ns"
  case intendedP999 = "intended_p999_ns"
  case intendedP9999 = "intended_p9999_ns"
  case intendedMax = "intended_max_ns"
  case limboBytes = "limbo_bytes"

  public var isSmallerBetter: Bool {
    switch self {
    case .operationsPerSecond, .jainIndex: false
    default: true
    }
  }

  /// `nil` if it was not measured. In an open loop the time of an operation is none of the collection's:
  /// it is how far apart they were due.
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
