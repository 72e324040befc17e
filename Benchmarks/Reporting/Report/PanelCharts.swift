import Charts
import Foundation
import Measurements

extension Panel {
  /// A chart with a name that is unique in its panel, in letters, digits and hyphens.
  struct NamedChart: Sendable {
    let name: String
    let chart: Chart
  }

  var throughputChart: NamedChart {
    NamedChart(name: "throughput", chart: chart(of: .throughput, size: .large))
  }

  /// The percentiles at the most informative number of threads.
  var latencyChart: NamedChart { latencyChart(threads: mainThreads, size: .large) }

  var otherLatencyCharts: [NamedChart] {
    threads.filter { $0 != mainThreads }.map { latencyChart(threads: $0, size: .small) }
  }

  var bytesCharts: [NamedChart] {
    zip(["bytes-per-entry", "bytes-per-operation"], Metric.bytes).map { name, metric in
      NamedChart(name: name, chart: chart(of: metric, size: .small))
    }
  }

  /// The charts of the metrics that every system can measure, and of the others that were measured.
  var contentionCharts: [NamedChart] {
    let always: [Metric] = [.fairness, .waits, .preemptions, .failedCompareExchanges]
    return Metric.contention.filter { metric in
      always.contains { $0.column == metric.column } || isMeasured(metric)
    }.map { metric in
      NamedChart(name: metric.chartName, chart: chart(of: metric, size: .small))
    }
  }

  func isMeasured(_ metric: Metric) -> Bool { series.contains { $0.spread(of: metric) != nil } }

  var charts: [NamedChart] {
    [throughputChart, latencyChart, scalabilityChart] + bytesCharts + contentionCharts
      + otherLatencyCharts
  }

  /// Returns a chart of one metric over the number of threads.
  ///
  /// The chart does not draw baselines; a text below it names them. They are orders of magnitude
  /// away from the other contestants, and would take half of the height. The chart of a panel that
  /// has only baselines draws them.
  func chart(of metric: Metric, size: Chart.Size) -> Chart {
    let contestants = keys.filter { $0.role != .baseline }
    let drawn = contestants.isEmpty ? keys : contestants
    let lines = drawn.map { key in
      ChartLine(key: key, points: series(of: key).compactMap { point(of: $0, metric) })
    }
    let beyond = threads.filter { $0 > cores }
    return Chart(
      title: metric.title.capitalizedFirst, size: size,
      x: .doublings(title: "threads", counts: threads),
      y: Chart.Axis(title: metric.unitText, unit: metric.unit, values: lines.values), lines: lines,
      shade: beyond.first.map { first in
        Chart.Shade(from: shadeStart(before: first), text: Self.shadeText(cores: cores))
      },
      aside: keys.filter { !drawn.contains($0) }.map { text(of: $0, metric) }.joined(
        separator: "; "))
  }

  /// Returns the text that replaces the line of a baseline.
  private func text(of key: LegendKey, _ metric: Metric) -> String {
    let name = "not drawn: \(key.name.prefix(24))"
    guard let spread = Spread(series(of: key).compactMap { $0.spread(of: metric)?.median }) else {
      return name
    }
    let ends = [spread.range.lowerBound, spread.range.upperBound].map(metric.unit.text)
    return "\(name), \(ends.withoutRepetitions.joined(separator: " to "))"
  }

  private func point(of series: ReportSeries, _ metric: Metric) -> ChartLine.Point? {
    series.spread(of: metric).map { spread in
      let threads = NumberText.count(series.threads, "thread")
      return ChartLine.Point(
        x: Double(series.threads), y: spread.median, band: spread.count > 1 ? spread.range : nil,
        note: "\(series.key.text), \(threads): \(spread.text(in: metric.unit))")
    }
  }

  private func latencyChart(threads: Int, size: Chart.Size) -> NamedChart {
    let lines = keys.map { key in
      let points = series(of: key, threads: threads)?.percentilePoints(Metric.percentiles)
      return ChartLine(key: key, points: points ?? [])
    }
    let beyond = threads > cores ? ", more than cores" : ""
    let chart = Chart(
      title: "Latency, \(NumberText.count(threads, "thread"))\(beyond)", size: size,
      x: .percentiles(Metric.percentiles),
      y: Chart.Axis(title: "time of one operation", unit: .nanoseconds, values: lines.values),
      lines: lines)
    return NamedChart(name: "latency-\(threads)-threads", chart: chart)
  }

  private static func shadeText(cores: Int) -> String {
    cores == 1 ? "more threads than the one core" : "more threads than \(cores) cores"
  }

  /// Returns the position halfway, on the logarithmic axis, between the cores and the first number
  /// of threads that exceeds them.
  private func shadeStart(before first: Int) -> Double {
    guard let last = threads.last(where: { $0 <= cores }) else { return 0 }
    return (Double(max(last, cores)) * Double(first)).squareRoot()
  }
}

extension Chart.Axis {
  /// Returns an axis with a position for each percentile.
  static func percentiles(_ metrics: [Metric]) -> Chart.Axis {
    Chart.Axis(
      title: "percentile", scale: .linear(0...Double(metrics.count - 1)),
      ticks: metrics.enumerated().map { Tick(value: Double($0), text: $1.title) })
  }
}

extension ReportSeries {
  /// Returns a point for each percentile that was measured.
  func percentilePoints(_ metrics: [Metric]) -> [ChartLine.Point] {
    metrics.enumerated().compactMap { place, metric in
      spread(of: metric).map { spread in
        ChartLine.Point(
          x: Double(place), y: spread.median, band: spread.count > 1 ? spread.range : nil,
          note: "\(key.text), \(metric.title): \(spread.text(in: .nanoseconds))")
      }
    }
  }
}

extension [ChartLine] {
  /// All values, for the range of the axis.
  var values: [Double] {
    flatMap { $0.points + $0.curve }.flatMap { point in
      [point.y] + (point.band.map { [$0.lowerBound, $0.upperBound] } ?? [])
    }
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Panel {
  /// The samples suffice for two digits of an interval. Page, tables and CSV use the same fits, so
  /// they show the same figures.
  private static let bootstrap = Bootstrap(resamples: 1000)

  /// Returns the fit of the law for each contestant that was measured at enough numbers of threads.
  static func scalability(
    of series: [ReportSeries], using generator: inout some RandomNumberGenerator
  ) -> [LegendKey: ScalabilityFit] {
    var fits: [LegendKey: ScalabilityFit] = [:]
    for key in series.map(\.key).withoutRepetitions {
      let points = series.filter { $0.key == key }.flatMap { series in
        series.trials.map { row in
          UniversalScalability.Point(
            threads: series.threads, throughput: row.throughput.operationsPerSecond,
            session: row.session)
        }
      }
      fits[key] = ScalabilityFit(of: points, bootstrap, using: &generator)
    }
    return fits
  }

  /// The chart of the medians and of the law fitted to all trials, up to the largest measured
  /// number of threads.
  var scalabilityChart: NamedChart {
    let fitted = keys.filter { scalability[$0] != nil && $0.role != .baseline }
    let missing = keys.filter { scalability[$0] == nil && $0.role != .baseline }
    let needed = "\(ScalabilityFit.threadCountsNeeded) numbers of threads"
    let measured = chart(of: .throughput, size: .large)
    let lines = fitted.map { key in
      var line = measured.lines.first { $0.key == key } ?? ChartLine(key: key, points: [])
      line.curve = curve(of: scalability[key]!, key)
      return line
    }
    let chart = Chart(
      title: "Scalability: the law fitted to the trials", size: .large, x: measured.x,
      y: Chart.Axis(title: measured.y.title, unit: .operationsPerSecond, values: lines.values),
      lines: lines, shade: measured.shade,
      aside: missing.isEmpty || fitted.isEmpty
        ? "" : "fewer than \(needed): \(missing.map(\.name).joined(separator: ", "))",
      emptyText: "n/a: the law needs \(needed)")
    return NamedChart(name: "scalability", chart: chart)
  }

  /// Returns the law's curve: a point for each number of threads, or at least 64 evenly spaced
  /// ones.
  private func curve(of fit: ScalabilityFit, _ key: LegendKey) -> [ChartLine.Point] {
    let most = fit.law.measuredThreads
    let counts = Set(stride(from: threads[0], through: most, by: max(1, most / 64))).union([most])
    return counts.sorted().compactMap { count in
      fit.law.throughput(ofThreads: count).map { throughput in
        ChartLine.Point(
          x: Double(count), y: throughput, band: fit.intervals?.throughput(ofThreads: count))
      }
    }
  }
}

extension OpenLoopPanel {
  var charts: [Panel.NamedChart] { charts(of: mainSetting, .large) + otherCharts }

  /// The charts of all settings except the most informative one.
  var otherCharts: [Panel.NamedChart] {
    settings.filter { $0 != mainSetting }.flatMap { charts(of: $0, .small) }
  }

  /// Returns a chart of service times and a chart of intended times, with the same axis.
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

/// A chart as a separate SVG file.
package struct ChartFile: Sendable {
  package let name: String
  package let svg: String
}

extension BenchmarkReport {
  /// All charts; their names are unique, in lower-case letters, digits and hyphens.
  package var chartFiles: [ChartFile] {
    var taken: Set<String> = []
    return scopes.flatMap { scope in
      scope.chartedPanels.flatMap { panel in
        panel.charts.map { named in
          file(of: named, panel, scope, taken: &taken)
        }
      }
    }
  }

  private func file(
    of named: Panel.NamedChart, _ panel: any ChartedPanel, _ scope: ReportScope,
    taken: inout Set<String>
  ) -> ChartFile {
    let place = scopes.count > 1 ? heading(of: scope) : ""
    let collection = panel.configuration.collection
    let sheet = ChartSheet(
      title: "\(collection), \(panel.name)",
      subtitle: scopes.count > 1 ? place : scope.environment.summary, rows: [[named.chart]])
    let words = [place, collection, panel.name, named.name].map(\.asFileName)
    let stem = words.filter { !$0.isEmpty }.joined(separator: "-")
    let name = (1...).lazy.map { $0 == 1 ? stem : "\(stem)-\($0)" }.first { !taken.contains($0) }!
    taken.insert(name)
    return ChartFile(name: "\(name).svg", svg: sheet.svg)
  }
}

extension String {
  /// The text as a safe part of a file name: no slash, no dot, and of limited length.
  ///
  /// Names come from files of unknown origin.
  fileprivate var asFileName: String {
    let letters = lowercased().unicodeScalars.map { scalar in
      ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "-"
    }
    return String(String(letters).split(separator: "-").joined(separator: "-").prefix(60))
  }
}
