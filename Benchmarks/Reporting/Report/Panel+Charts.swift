import Charts
import Foundation
import Measurements

extension Panel {
  /// A chart with what names it among those of its panel, in words of letters, digits and hyphens.
  struct NamedChart: Sendable {
    let name: String
    let chart: Chart
  }

  var throughputChart: NamedChart {
    NamedChart(name: "throughput", chart: chart(of: .throughput, size: .large))
  }

  /// The percentiles at the telling number of threads.
  var latencyChart: NamedChart { latencyChart(threads: telling, size: .large) }

  var otherLatencyCharts: [NamedChart] {
    threads.filter { $0 != telling }.map { latencyChart(threads: $0, size: .small) }
  }

  var bytesCharts: [NamedChart] {
    zip(["bytes-per-entry", "bytes-per-operation"], Metric.bytes).map { name, metric in
      NamedChart(name: name, chart: chart(of: metric, size: .small))
    }
  }

  /// Those that every system measures; of the others what was measured.
  var contentionCharts: [NamedChart] {
    let always: [Metric] = [.fairness, .waits, .preemptions, .failedExchanges]
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

  /// Without baselines unless there is nothing else: decades away from the others, they would take half
  /// of the height, and are named below it.
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

  /// What is said of a baseline instead of drawing it.
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
      let threads = Self.threadsText(series.threads)
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
      title: "Latency, \(Self.threadsText(threads))\(beyond)", size: size,
      x: .percentiles(Metric.percentiles),
      y: Chart.Axis(title: "time of one operation", unit: .nanoseconds, values: lines.values),
      lines: lines)
    return NamedChart(name: "latency-\(threads)-threads", chart: chart)
  }

  static func threadsText(_ count: Int) -> String {
    count == 1 ? "1 thread" : "\(NumberText.count(count)) threads"
  }

  private static func shadeText(cores: Int) -> String {
    cores == 1 ? "more threads than the one core" : "more threads than \(cores) cores"
  }
}

extension Panel {
  /// Half way from the cores to the first number of threads that is more.
  private func shadeStart(before first: Int) -> Double {
    guard let last = threads.last(where: { $0 <= cores }) else { return 0 }
    return (Double(max(last, cores)) * Double(first)).squareRoot()
  }
}

extension Chart.Axis {
  /// A place for each of some percentiles.
  static func percentiles(_ metrics: [Metric]) -> Chart.Axis {
    Chart.Axis(
      title: "percentile", scale: .linear(0...Double(metrics.count - 1)),
      ticks: metrics.enumerated().map { Tick(value: Double($0), text: $1.title) })
  }
}

extension ReportSeries {
  /// One for each of the percentiles that it has.
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
  /// What the axis must have room for.
  var values: [Double] {
    flatMap { $0.points + $0.curve }.flatMap { point in
      [point.y] + (point.band.map { [$0.lowerBound, $0.upperBound] } ?? [])
    }
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
