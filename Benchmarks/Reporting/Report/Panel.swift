import Charts
import Measurements

/// A workload of a collection, with its charts.
protocol ChartedPanel: Sendable {
  var configuration: Measurement.Configuration { get }
  var name: String { get }
  var charts: [Panel.NamedChart] { get }
}

/// The series of one workload of one collection, which differ only in the contestant and in the
/// number of threads.
struct Panel: ChartedPanel {
  /// The common configuration, without a backend and a number of threads.
  let configuration: Measurement.Configuration
  /// The series in the legend's order, then by threads.
  let series: [ReportSeries]
  /// The number of usable cores.
  let cores: Int
  /// The facts that distinguish the panel from others of the same workload, such as its entries;
  /// empty if there are none.
  let distinction: String
  /// The scalability of the contestants that were measured at enough numbers of threads.
  let scalability: [LegendKey: ScalabilityFit]

  var threads: [Int] { series.map(\.threads).withoutRepetitions.sorted() }
  var keys: [LegendKey] { series.map(\.key).withoutRepetitions }

  /// The most informative number of threads: the largest at which each thread has a core.
  var mainThreads: Int { threads.last { $0 <= cores } ?? threads[0] }

  /// The workload and the distinction.
  var name: String {
    distinction.isEmpty ? configuration.workload : "\(configuration.workload), \(distinction)"
  }

  func series(of key: LegendKey) -> [ReportSeries] { series.filter { $0.key == key } }

  func series(of key: LegendKey, threads: Int) -> ReportSeries? {
    series.first { $0.key == key && $0.threads == threads }
  }
}

/// The series of one workload of one collection in open loops.
///
/// There is no winner: contestants at a percentage of their own capacity have different rates, and
/// at a common rate all make the same number of operations. The charts compare service times with
/// intended times.
struct OpenLoopPanel: ChartedPanel {
  /// The common configuration, without a backend, a number of threads and a target.
  let configuration: Measurement.Configuration
  /// The series in the legend's order, then by threads.
  let series: [ReportSeries]
  let cores: Int
  let distinction: String

  var name: String {
    ["\(configuration.workload), open loop", distinction].filter { !$0.isEmpty }
      .joined(separator: ", ")
  }

  /// The setting of one pair of charts: the number of threads, and the rate of due operations.
  struct Setting: Hashable {
    let threads: Int
    /// The load, or `nil` if the target was given; all contestants then have the same target.
    let loadPercent: Int?
    let target: Double?

    init(of configuration: Measurement.Configuration) {
      threads = configuration.threads
      loadPercent = configuration.pace.loadPercent
      // A target that is a percentage of the capacity differs between contestants.
      target = loadPercent == nil ? configuration.pace.targetOperationsPerSecond : nil
    }

    var text: String {
      "\(NumberText.count(threads, "thread")), "
        + (loadPercent.map { "\($0) % of capacity" } ?? rateText)
    }

    /// The setting for a file name, in letters, digits and hyphens.
    var fileText: String {
      let rate =
        loadPercent.map { "\($0)-percent" } ?? target.map { "\(Int(min($0, 1e15)))-per-second" }
      return "\(threads)-threads-\(rate ?? "any-rate")"
    }

    private var rateText: String { "\(NumberText.rate(target)) operations/s" }

    fileprivate var place: (Int, Int, Double) { (threads, loadPercent ?? 0, target ?? 0) }
  }

  /// The settings in order of threads, then of load.
  var settings: [Setting] {
    series.map(setting).withoutRepetitions.sorted { $0.place < $1.place }
  }

  /// The most informative setting: the highest load at which each thread has a core.
  var mainSetting: Setting { settings.last { $0.threads <= cores } ?? settings[0] }

  func series(in setting: Setting) -> [ReportSeries] {
    series.filter { self.setting(of: $0) == setting }
  }

  private func setting(of series: ReportSeries) -> Setting {
    Setting(of: series.summary.series.configuration)
  }
}

extension Measurement.Configuration {
  /// The common facts of a panel's contestants, besides collection and workload.
  var description: String { commonFacts.filter { !$0.isEmpty }.joined(separator: " · ") }

  /// Returns the facts that other configurations of the same workload do not share.
  func distinction(among all: [Measurement.Configuration]) -> String {
    let alike = all.filter { $0.collection == collection && $0.workload == workload }
    return commonFacts.enumerated().filter { place, fact in
      !fact.isEmpty && alike.contains { $0.commonFacts[place] != fact }
    }.map(\.element).joined(separator: ", ")
  }

  /// The facts in a fixed order, so that configurations can be compared fact by fact. A missing
  /// fact is an empty text.
  private var commonFacts: [String] {
    let keys = keyType.map { type in
      keyDistribution.map { "keys \(type), \($0)" } ?? "keys \(type)"
    }
    let facts = [
      roles.map { "roles \($0)" } ?? shares.text, entriesText, keys,
      keyType == nil ? valueType.map(Self.elementText) : valueType.map { "values \($0)" },
      "workers on \(driver)", pace.mode == .open ? "open loop" : nil,
    ]
    return facts.map { $0 ?? "" }
  }

  private static func elementText(_ type: String) -> String {
    type == "class" ? "elements are class instances" : "elements \(type)"
  }
}

/// The trials of one contestant at one number of threads.
struct ReportSeries: Sendable {
  let key: LegendKey
  let summary: Summary
  let mark: Mark
  let trials: [Measurement]

  var threads: Int { summary.series.configuration.threads }
  var medianTime: Double { summary.medianNanosecondsPerOperation }

  /// Returns the spread of `metric`, or `nil` if no trial measured it.
  func spread(of metric: Metric) -> Spread? {
    Spread(
      trials.compactMap(metric.column.value(in:)), areRates: metric.column == .operationsPerSecond)
  }
}

/// The median and the range of several trials.
struct Spread: Hashable, Sendable {
  let median: Double
  let range: ClosedRange<Double>
  let count: Int

  /// Creates the spread of `values`, or returns `nil` if there are none.
  ///
  /// - Parameter areRates: Whether the values are rates, whose median must agree with the median of
  ///   the times.
  init?(_ values: [Double], areRates: Bool = false) {
    let middle = areRates ? Statistics.medianRate(of: values) : Statistics.median(values)
    guard let median = middle, let least = values.min(), let greatest = values.max() else {
      return nil
    }
    self.median = median
    range = least...greatest
    count = values.count
  }

  func text(in unit: FigureUnit) -> String {
    guard count > 1 else { return "\(unit.text(median)), one trial" }
    return "\(unit.text(median)), \(unit.text(range.lowerBound)) to "
      + "\(unit.text(range.upperBound)) in \(count) trials"
  }
}

/// A column of rows, as tables and charts show it.
struct Metric: Sendable {
  let title: String
  let unit: FigureUnit
  /// The unit, unless the numbers include it.
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

  /// The title with the unit, for an axis or a column.
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
  static let failedCompareExchanges = Metric(
    "failed compare-exchanges", .casFailuresPerOperation, .count, "per operation")

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

  /// The name of the metric's chart, in letters and hyphens.
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
    fairness, imbalance, lockWait, runQueueWait, waits, preemptions, failedCompareExchanges,
    advances, failedAdvances, limboPeak, limboBytes, cycles, instructions, cacheMisses,
  ]
}
