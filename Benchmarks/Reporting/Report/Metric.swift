import Charts
import Measurements

/// A figure that every row has, or lacks where it was not measured.
struct Metric: Sendable {
  let title: String
  let unit: FigureUnit
  /// Of what the numbers are, where they do not say so themselves.
  let unitText: String
  let column: MetricColumn

  init(
    _ title: String, _ column: MetricColumn, _ unit: FigureUnit, _ unitText: String = ""
  ) {
    self.title = title
    self.column = column
    self.unit = unit
    self.unitText = unitText
  }

  /// With the unit, as an axis or a column names it.
  var axisTitle: String { unitText.isEmpty ? title : "\(title), \(unitText)" }

  static let time = Metric("time for an operation", .nanosecondsPerOperation, .nanoseconds)
  static let throughput = Metric(
    "throughput", .operationsPerSecond, .operationsPerSecond, "operations/s")

  static let percentiles = [
    Metric("p50", .p50, .nanoseconds), Metric("p90", .p90, .nanoseconds),
    Metric("p99", .p99, .nanoseconds), Metric("p99.9", .p999, .nanoseconds),
    Metric("max", .max, .nanoseconds),
  ]

  static let service = openLoop([
    .serviceP50, .serviceP90, .serviceP99, .serviceP999, .serviceP9999, .serviceMax,
  ])
  static let intended = openLoop([
    .intendedP50, .intendedP90, .intendedP99, .intendedP999, .intendedP9999, .intendedMax,
  ])

  private static func openLoop(_ columns: [MetricColumn]) -> [Metric] {
    let titles = ["p50", "p90", "p99", "p99.9", "p99.99", "max"]
    return zip(titles, columns).map { Metric($0, $1, .nanoseconds) }
  }

  static let bytesPerEntry = Metric("live bytes per entry", .liveBytesPerEntry, .bytes, "B")
  static let bytesPerOperation = Metric(
    "allocated per operation", .allocatedBytesPerOperation, .bytes, "B")
  static let peakBytes = Metric("peak live bytes", .peakLiveBytes, .bytes, "B")

  static let fairness = Metric("fairness", .jainIndex, .index, "Jain index")
  static let waits = Metric(
    "context switches to wait", .voluntarySwitchesPerOperation, .count, "per operation")
  static let preemptions = Metric(
    "context switches by force", .involuntarySwitchesPerOperation, .count, "per operation")
  static let failedExchanges = Metric(
    "failed exchanges", .casFailuresPerOperation, .count, "per operation")

  static let imbalance = Metric(
    "most ÷ least operations of a worker", .maxToMinOperations, .count, "ratio")
  static let runQueueWait = Metric(
    "ready to run without a core", .runQueueWaitNanosecondsPerOperation, .nanoseconds,
    "per operation")
  static let lockWait = Metric(
    "asleep, waiting for others", .lockWaitShare, .percent, "of the workers' time")
  static let advances = Metric(
    "epoch advances", .epochAdvancesPerOperation, .count, "per operation")
  static let failedAdvances = Metric(
    "failed epoch advances", .failedAdvancesPerOperation, .count, "per operation")
  static let limboPeak = Metric("most entries in limbo", .limboPeakEntries, .count)
  static let limboBytes = Metric("bytes in limbo at the end", .limboBytes, .bytes, "B")
  static let cycles = Metric("cycles", .cyclesPerOperation, .count, "per operation")
  static let instructions = Metric(
    "instructions", .instructionsPerOperation, .count, "per operation")
  static let cacheMisses = Metric("cache misses", .cacheMissesPerOperation, .count, "per operation")

  /// What names its chart, in words of letters and hyphens: that of its column, without the unit.
  var chartName: String {
    switch column {
    case .jainIndex: "fairness"
    case .voluntarySwitchesPerOperation: "waits"
    case .involuntarySwitchesPerOperation: "preemptions"
    case .casFailuresPerOperation: "failed-exchanges"
    default: column.rawValue.split(separator: "_").joined(separator: "-")
    }
  }

  static let bytes = [bytesPerEntry, bytesPerOperation]
  static let contention = [
    fairness, imbalance, lockWait, runQueueWait, waits, preemptions, failedExchanges, advances,
    failedAdvances, limboPeak, limboBytes, cycles, instructions, cacheMisses,
  ]
}
