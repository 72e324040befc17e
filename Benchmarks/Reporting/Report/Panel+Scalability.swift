import Charts
import Measurements

extension Panel {
  /// Enough for two digits of an interval; the command has no more, so that both say the same.
  private static let bootstrap = Bootstrap(resamples: 1000)

  /// The law for each contestant that was measured at enough numbers of threads.
  static func scalability(
    of series: [ReportSeries], using generator: inout some RandomNumberGenerator
  ) -> [LegendKey: ScalabilityFit] {
    var fits: [LegendKey: ScalabilityFit] = [:]
    for key in series.map(\.key).withoutRepetitions {
      let points = series.filter { $0.key == key }.flatMap { series in
        series.trials.map { row in
          UniversalScalability.Point(
            threads: series.threads, throughput: row.throughput.operationsPerSecond,
            process: row.process)
        }
      }
      fits[key] = ScalabilityFit(of: points, bootstrap, using: &generator)
    }
    return fits
  }

  /// Medians, and the law fitted to all trials; nothing beyond what was measured.
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

  /// At each number of threads, or as many of them as a curve needs.
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

extension ScalabilityFit {
  /// How many threads do the most together, with a star where they are more than the cores.
  func peakText(cores: Int) -> String {
    guard let peak = law.threadsOfPeak else { return "> \(2 * law.measuredThreads)" }
    return "\(peak)\(peak > cores ? " *" : "")"
  }

  /// *R²* with three digits, of which it needs all.
  var determinationText: String {
    guard let determination else { return NumberText.missing }
    let text = NumberText.fixed(abs(determination), decimals: 3)
    return determination < 0 ? "−\(text)" : text
  }
}
