/// A summary of one metric over the trials of one series, from all sessions that ran them.
public struct MetricSummary: Hashable, Sendable {
  /// The metric.
  public let metric: MetricColumn
  /// The number of trials that have a value.
  public let trials: Int
  /// The number of sessions that ran these trials.
  public let sessions: Int
  /// Whether `median` is the median of the sessions' medians, rather than of the trials.
  public let isOfSessions: Bool
  /// The median.
  public let median: Double
  /// The confidence interval of the median, or `nil` if there are too few values.
  ///
  /// If there are several sessions, it includes the variance between them.
  public let interval: ClosedRange<Double>?
  /// The variance within and between sessions, or `nil` if the trials cannot separate the two.
  public let variance: VarianceComponents?

  /// Creates the summary of `metric`, or returns `nil` if no trial has a value for it.
  ///
  /// - Parameters:
  ///   - trials: The trials of one series.
  ///   - metric: The metric to summarize.
  ///   - bootstrap: The parameters of the confidence interval.
  ///   - generator: The source of the bootstrap's samples.
  public init?(
    of trials: [Measurement], _ metric: MetricColumn, _ bootstrap: Bootstrap,
    using generator: inout some RandomNumberGenerator
  ) {
    guard let values = SessionValues(trials, metric) else { return nil }
    self.metric = metric
    self.trials = values.trials
    sessions = values.sessions.count
    isOfSessions = sessions >= Bootstrap.valuesNeeded
    let compared = isOfSessions ? values.figures : values.all
    median = Statistics.median(compared) ?? values.figure
    interval =
      isOfSessions || sessions == 1
      ? bootstrap.interval(ofMedianOf: compared, using: &generator)
      : bootstrap.interval(ofMedianOfSessions: values.bySession, using: &generator)
    variance = VarianceComponents(ofSessions: values.bySession)
  }
}

/// Derived figures as CSV: one line per series and metric, in a file separate from the trials.
public struct SummaryCSV {
  /// The columns that identify a series, under their names in files of trials.
  public static let seriesColumns = [
    "kind", "machine", "cpu", "cores", "host_cores", "os", "kernel", "swift", "mutex_flavor",
    "allocator", "configuration", "commit", "collection", "backend", "workload", "read_share",
    "insert_share", "update_share", "remove_share", "iterate_share", "key_type", "value_type",
    "key_distribution", "driver", "threads", "entries", "mode", "target_ops_per_second",
    "load_percent", "roles",
  ]
  /// The columns of derived figures.
  public static let derivedColumns = [
    "metric", "trials", "sessions", "median_of", "median", "median_low", "median_high",
    "confidence",
    "within_session_variance", "between_session_variance",
  ]

  /// The contents of the file.
  public let text: String
  /// The number of series.
  public let series: Int
  /// The number of lines, not counting the header.
  public let lines: Int

  /// Summarizes every series of `measurements`, in the order in which the series first appear.
  ///
  /// Each line draws its samples from a copy of `generator`, so it does not depend on the other
  /// lines.
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
      summary.metric.rawValue, "\(summary.trials)", "\(summary.sessions)",
      summary.isOfSessions ? "sessions" : "trials",
    ] + numbers.map { $0.map { "\($0)" } ?? "" }
  }
}
