import Charts

/// Counts of instances over time.
enum LeakChart {
  /// What the title of a small chart has room for.
  private static let longestTitle = 32

  static func chart(
    _ title: String, size: Chart.Size, _ subjects: [(key: LegendKey, subject: LeakPage.Subject)],
    aside: String = ""
  ) -> Chart {
    let end = subjects.compactMap { $0.subject.history.last?.seconds }.max() ?? 0
    let time = Scale.linear(0...max(end, 0.001))
    let lines = subjects.map { key, subject in line(key, subject) }
    return Chart(
      title: title.count > longestTitle ? "…" + title.suffix(longestTitle - 1) : title, size: size,
      x: Chart.Axis(
        title: "seconds", scale: time,
        ticks: time.ticks.map { Chart.Axis.Tick(value: $0, text: NumberText.short($0)) }),
      y: axis(upTo: lines.flatMap { $0.curve.map(\.y) }.max() ?? 0),
      lines: lines, aside: aside)
  }

  /// By differences even over decades: a leak is a line that rises, and twice as steep is twice as bad.
  private static func axis(upTo greatest: Double) -> Chart.Axis {
    let scale = Scale.fitting([greatest])
    return Chart.Axis(
      title: "instances", scale: scale,
      ticks: scale.ticks.filter { $0 == $0.rounded() }.map { value in
        Chart.Axis.Tick(value: value, text: FigureUnit.count.tickText(value))
      })
  }

  /// A mark at the end alone: there are hundreds of counts.
  private static func line(_ key: LegendKey, _ subject: LeakPage.Subject) -> ChartLine {
    let curve = subject.history.map { sample in
      ChartLine.Point(
        x: sample.seconds, y: Double(sample.count),
        note: "\(subject.name), after \(NumberText.fixed(sample.seconds, decimals: 1)) s: "
          + NumberText.count(sample.count))
    }
    return ChartLine(key: key, points: Array(curve.suffix(1)), curve: curve)
  }
}
