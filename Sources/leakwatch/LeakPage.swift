import Charts

/// The leaks of a program as one self-contained HTML page: a chart of the number of live instances
/// over time, a chart for each class, and a table.
struct LeakPage {
  /// A class, or a group of classes.
  struct Subject {
    var name: String
    /// The number of live instances; nil if it is unknown.
    var live: Int?
    var max: Int?
    var leaked: Int
    var late: Int
    /// The numbers of live instances, oldest first.
    var history: [(seconds: Double, count: Int)]

    init(
      name: String, live: Int?, max: Int?, leaked: Int, late: Int,
      history: [(seconds: Double, count: Int)]
    ) {
      self.name = name
      self.live = live
      self.max = max
      self.leaked = leaked
      self.late = late
      self.history = history
    }
  }

  /// The maximum number of lines in one chart: more lines would be hard to distinguish.
  private static let mostInOneChart = 8
  private static let mostCharts = 40

  private let subjects: [Subject]
  private let summary: String
  private let messages: [String]

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - subjects: The classes and groups, the most important ones first.
  ///   - summary: The totals on one line.
  ///   - messages: The last message of each leak.
  init(subjects: [Subject], summary: String, messages: [String]) {
    self.subjects = subjects
    self.summary = summary
    self.messages = messages
  }

  var html: String {
    HTMLPage(
      title: "leakwatch watch: \(summary)", keys: keys,
      body: [
        Markup(
          "header", Markup("h1", "Leak report"),
          Markup("p", ["class": "soft"], Markup(text: summary))),
        HTMLPage.legend(of: Array(keys.prefix(Self.mostInOneChart)), label: "Classes"),
        Markup(
          "main",
          lines: [
            messageList,
            Markup("section", lines: [Markup("h2", "Live instances"), charts]),
            Markup(
              "section",
              lines: [
                Markup("h2", "All counts"),
                Markup(
                  "p", ["class": "soft"],
                  "\(NumberText.missing) means unknown. Click a column's title to sort by it."),
                table,
              ]),
          ]),
      ].lines
    ).html
  }

  private var keys: [LegendKey] {
    subjects.prefix(Self.mostCharts).enumerated().map { place, subject in
      LegendKey(name: subject.name, role: .backend, place: place)
    }
  }

  private var messageList: Markup {
    guard !messages.isEmpty else { return Markup("p", "Nothing leaks.") }
    let items = messages.map { Markup("li", Markup(text: $0)) }
    return Markup(
      "section", Markup("h2", "Leaks"), Markup("ul", ["class": "verdicts"], items.lines))
  }

  private var charts: Markup {
    let drawn = zip(keys, subjects).filter { !$0.1.history.isEmpty }
    guard !drawn.isEmpty else { return Markup("p", "No counts are known.") }
    let together = LeakChart.chart(
      "Live instances", size: .large, Array(drawn.prefix(Self.mostInOneChart)))
    let each = drawn.enumerated().map { place, line in
      HTMLPage.figure(
        "class-\(place)",
        LeakChart.chart(line.1.name, size: .small, [line], aside: Self.aside(of: line.1)))
    }
    return Markup(
      "article",
      Markup("div", ["class": "charts alone"], HTMLPage.figure("all", together)),
      Markup("div", ["class": "charts small"], lines: each))
  }

  private static func aside(of subject: Subject) -> String {
    let max = subject.max.map { "at most \(NumberText.count($0)), " } ?? ""
    return
      "\(max)leaked \(NumberText.count(subject.leaked)), late \(NumberText.count(subject.late))"
  }

  private var table: Markup {
    let numbers = ["live", "max", "leaked", "late"].map {
      HTMLPage.title($0, class: "number")
    }
    let rows = subjects.map { subject in
      let counts = [subject.live, subject.max, subject.leaked, subject.late]
      return Markup(
        "tr", HTMLPage.textCell(subject.name),
        counts.map { HTMLPage.cell($0) }.joined())
    }
    return HTMLPage.table(head: [HTMLPage.title("class")] + numbers, rows: rows, isSortable: true)
  }
}

/// A chart of the counts of instances over time.
enum LeakChart {
  /// The length of the longest title that fits a small chart.
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

  /// Returns a linear axis, even for a range of several decades: on it, a steady leak is a straight
  /// line, and a line that is twice as steep is twice as bad.
  private static func axis(upTo greatest: Double) -> Chart.Axis {
    let scale = Scale.fitting([greatest])
    return Chart.Axis(
      title: "instances", scale: scale,
      ticks: scale.ticks.filter { $0 == $0.rounded() }.map { value in
        Chart.Axis.Tick(value: value, text: FigureUnit.count.tickText(value))
      })
  }

  /// Returns a line with a mark only at its end: marks at all of its counts, which may be hundreds,
  /// would hide the line.
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
