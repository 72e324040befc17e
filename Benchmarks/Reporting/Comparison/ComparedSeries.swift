import Measurements

/// One side of a row: the trials of one series, and what they have of the metric.
package struct ComparedSeries: Hashable, Sendable {
  package let kind: Measurement.Kind
  package let configuration: Measurement.Configuration
  private let values: ProcessValues

  /// `nil` if the metric was not measured in any of the trials.
  init?(_ trials: [Measurement], _ metric: MetricColumn) {
    guard let first = trials.first, let values = ProcessValues(trials, metric) else { return nil }
    kind = first.identity.kind
    configuration = first.configuration
    self.values = values
  }

  package var trials: Int { values.trials }
  package var processes: Int { values.processes }
  package var all: [Double] { values.all }
  package var median: Double { values.median }
  var mediansOfProcesses: [Double] { values.mediansOfProcesses }

  /// A process is one value if there are enough on both sides. With fewer, trials stand for themselves,
  /// and the noise floor for what processes differ by.
  static func comparesProcesses(_ one: ComparedSeries, _ other: ComparedSeries) -> Bool {
    one.values.hasManyProcesses && other.values.hasManyProcesses
  }
}
