/// Derived numbers as CSV: a line for each series and metric, apart from the trials they are derived from.
public struct SummaryCSV {
  /// What a series is, under the names that trials have it under.
  public static let seriesColumns = [
    "kind", "machine", "cpu", "cores", "host_cores", "os", "kernel", "swift", "mutex_flavor",
    "allocator", "configuration", "commit", "collection", "backend", "workload", "read_share",
    "insert_share", "update_share", "remove_share", "iterate_share", "key_type", "value_type",
    "key_distribution", "driver", "threads", "size", "mode", "target_ops_per_second",
    "load_percent", "roles",
  ]
  /// What is derived.
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
