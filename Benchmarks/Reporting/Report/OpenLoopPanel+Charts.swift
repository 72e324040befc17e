import Charts
import Measurements

extension OpenLoopPanel {
  var charts: [Panel.NamedChart] { (charts(of: telling, .large) + otherCharts) }

  /// Those of all other settings.
  var otherCharts: [Panel.NamedChart] {
    settings.filter { $0 != telling }.flatMap { charts(of: $0, .small) }
  }

  /// Service times and, on the same axis, intended ones.
  func charts(of setting: Setting, _ size: Chart.Size) -> [Panel.NamedChart] {
    let kinds: [(name: String, title: String, metrics: [Metric])] = [
      ("service", "Service time", Metric.service), ("intended", "Intended time", Metric.intended),
    ]
    let lines = kinds.map { kind in
      series(in: setting).map {
        ChartLine(key: $0.key, points: $0.percentilePoints(kind.metrics))
      }
    }
    let axis = Chart.Axis(
      title: "time of one operation", unit: .nanoseconds, values: lines.flatMap(\.values))
    let beyond = setting.threads > cores ? ", more than cores" : ""
    return zip(kinds, lines).map { kind, lines in
      Panel.NamedChart(
        name: "\(kind.name)-\(setting.fileText)",
        chart: Chart(
          title: "\(kind.title), \(setting.text)\(beyond)", size: size,
          x: .percentiles(kind.metrics), y: axis, lines: lines))
    }
  }
}
