import Charts
import Measurements

/// The trials of one contestant at one number of threads.
struct ReportSeries: Sendable {
  let key: LegendKey
  let summary: Summary
  let mark: Mark
  let trials: [Measurement]

  var threads: Int { summary.series.configuration.threads }

  /// `nil` if no trial measured it.
  func spread(of metric: Metric) -> Spread? { Spread(trials.compactMap(metric.column.value(in:))) }
}

/// The least, the middle and the greatest of what several trials measured.
struct Spread: Hashable, Sendable {
  let median: Double
  let range: ClosedRange<Double>
  let count: Int

  init?(_ values: [Double]) {
    guard let median = Statistics.median(values), let least = values.min(),
      let greatest = values.max()
    else { return nil }
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
