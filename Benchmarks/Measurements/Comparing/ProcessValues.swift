/// What the trials of one series have of a metric, by the processes that made them.
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
