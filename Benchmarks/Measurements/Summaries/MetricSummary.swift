/// The trials of one series in one metric, summarized over all processes that made them.
public struct MetricSummary: Hashable, Sendable {
  public let metric: MetricColumn
  public let trials: Int
  public let processes: Int
  /// Whether the median is that of the processes' medians, rather than of the trials.
  public let isOfProcesses: Bool
  public let median: Double
  /// Where it lies, with what processes differ by if there are several; `nil` for too few values.
  public let interval: ClosedRange<Double>?
  /// `nil` if the trials do not tell them apart.
  public let variance: VarianceComponents?

  /// `nil` if the metric was not measured in any of the trials.
  public init?(
    of trials: [Measurement], _ metric: MetricColumn, _ bootstrap: Bootstrap,
    using generator: inout some RandomNumberGenerator
  ) {
    guard let values = ProcessValues(trials, metric) else { return nil }
    self.metric = metric
    self.trials = values.trials
    processes = values.processes
    isOfProcesses = values.hasManyProcesses
    let compared = isOfProcesses ? values.mediansOfProcesses : values.all
    median = Statistics.median(compared) ?? values.median
    interval =
      isOfProcesses || processes == 1
      ? bootstrap.interval(ofMedianOf: compared, using: &generator)
      : bootstrap.interval(ofMedianOfProcesses: values.values, using: &generator)
    variance = VarianceComponents(ofProcesses: values.values)
  }
}

/// The values of one metric in the trials of one series, by process.
public struct ProcessValues: Hashable, Sendable {
  /// In the order in which the processes first appear; none is empty.
  public let values: [[Double]]

  /// `nil` if the metric was not measured in any of the trials.
  public init?(_ trials: [Measurement], _ metric: MetricColumn) {
    var order: [Measurement.Process] = []
    var values: [Measurement.Process: [Double]] = [:]
    for trial in trials {
      guard let value = metric.value(in: trial) else { continue }
      if values[trial.process] == nil { order.append(trial.process) }
      values[trial.process, default: []].append(value)
    }
    guard !order.isEmpty else { return nil }
    self.values = order.map { values[$0, default: []] }
  }

  public var trials: Int { values.reduce(0) { $0 + $1.count } }
  public var processes: Int { values.count }
  public var all: [Double] { values.flatMap(\.self) }
  public var median: Double { Statistics.median(all) ?? 0 }
  public var mediansOfProcesses: [Double] { values.compactMap(Statistics.median) }

  /// Whether there are enough processes for one to be one value: its trials share where memory lies and
  /// what the machine was doing, so that they are not independent.
  public var hasManyProcesses: Bool { processes >= Bootstrap.valuesNeeded }
}

/// Derived figures as CSV: a line for each series and metric, in a file apart from the trials.
public struct SummaryCSV {
  /// The columns that identify a series, under their names in files of trials.
  public static let seriesColumns = [
    "kind", "machine", "cpu", "cores", "host_cores", "os", "kernel", "swift", "mutex_flavor",
    "allocator", "configuration", "commit", "collection", "backend", "workload", "read_share",
    "insert_share", "update_share", "remove_share", "iterate_share", "key_type", "value_type",
    "key_distribution", "driver", "threads", "size", "mode", "target_ops_per_second",
    "load_percent", "roles",
  ]
  /// The columns of derived figures.
  public static let derivedColumns = [
    "metric", "trials", "forks", "median_of", "median", "median_low", "median_high", "confidence",
    "within_fork_variance", "between_fork_variance",
  ]

  public let text: String
  /// How many series there are, and how many lines below the header.
  public let series: Int
  public let lines: Int

  /// Series in the order in which they first appear. Each line draws its samples from a copy of the
  /// generator, so that it does not matter which others there are.
  public init(
    of measurements: [Measurement], _ bootstrap: Bootstrap = Bootstrap(),
    drawingFrom generator: some RandomNumberGenerator
  ) {
    let trials = Dictionary(grouping: measurements, by: Series.init)
    let order = Summary.summaries(of: measurements).map(\.series)
    var lines = [Self.seriesColumns + Self.derivedColumns]
    for series in order {
      let own = trials[series, default: []]
      for metric in MetricColumn.allCases {
        var generator = generator
        guard let summary = MetricSummary(of: own, metric, bootstrap, using: &generator)
        else { continue }
        lines.append(Self.fields(of: own[0]) + Self.fields(of: summary, bootstrap))
      }
    }
    self.series = order.count
    self.lines = lines.count - 1
    text = lines.map { $0.map(MeasurementCSV.field).joined(separator: ",") + "\n" }.joined()
  }

  private static func fields(of row: Measurement) -> [String] {
    seriesColumns.map { MeasurementCSV.text(ofColumn: $0, in: row) ?? "" }
  }

  private static func fields(of summary: MetricSummary, _ bootstrap: Bootstrap) -> [String] {
    let interval = summary.interval
    let numbers = [
      summary.median, interval?.lowerBound, interval?.upperBound,
      interval == nil ? nil : bootstrap.confidence, summary.variance?.within,
      summary.variance?.between,
    ]
    return [
      summary.metric.rawValue, "\(summary.trials)", "\(summary.processes)",
      summary.isOfProcesses ? "forks" : "trials",
    ] + numbers.map { $0.map { "\($0)" } ?? "" }
  }
}
