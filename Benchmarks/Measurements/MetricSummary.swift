/// What the trials of one series come to in one metric, over all processes that made them.
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
