import Charts

/// The leaks of a program and the history of its counts, as one self-contained HTML page.
struct LeakPage {
  /// A class or a group of classes.
  struct Subject {
    var name: String
    /// The live count; nil if it is unknown.
    var live: Int?
    var max: Int?
    var leaked: Int
    var late: Int
    /// The live counts by ascending time.
    var history: [(seconds: Double, count: Int)]
  }

  /// More lines in one chart are indistinguishable.
  static let mostInOneChart = 8
  static let mostCharts = 40

  let subjects: [Subject]
  private let summary: String
  private let messages: [String]

  /// - Parameter subjects: The classes and groups, the most important first.
  init(subjects: [Subject], summary: String, messages: [String]) {
    self.subjects = subjects
    self.summary = summary
    self.messages = messages
  }

  var html: String {
    HTMLPage(
      title: "leakwatch watch: \(summary)", keys: keys,
      body: """
        <header><h1>Leaks, watched</h1>
        <p class="soft">\(summary.escapedForMarkup)</p></header>
        <nav class="legend" aria-label="Classes">\(HTMLPage.legend(of: shownKeys))</nav>
        <main>
        \(messageList)
        <section><h2>Living instances</h2>
        \(charts)
        </section>
        <section><h2>All figures</h2>
        <p class="soft">\(NumberText.missing) is not known. A column's title sorts.</p>
        \(LeakTable(subjects: subjects).html)
        </section>
        </main>
        """
    ).html
  }

  private var keys: [LegendKey] {
    subjects.prefix(Self.mostCharts).enumerated().map { place, subject in
      LegendKey(name: subject.name, role: .backend, place: place)
    }
  }

  /// The keys of the chart with several lines.
  private var shownKeys: [LegendKey] { Array(keys.prefix(Self.mostInOneChart)) }

  private var messageList: String {
    guard !messages.isEmpty else { return "<p>Nothing leaks.</p>" }
    let items = messages.map { "<li>\($0.escapedForMarkup)</li>" }
    return
      "<section><h2>Leaks</h2><ul class=\"verdicts\">\(items.joined(separator: "\n"))</ul></section>"
  }

  private var charts: String {
    let drawn = zip(keys, subjects).filter { !$0.1.history.isEmpty }
    guard !drawn.isEmpty else { return "<p>No counts are known.</p>" }
    let together = LeakChart.chart(
      "Living instances", size: .large, Array(drawn.prefix(Self.mostInOneChart)))
    let each = drawn.map { key, subject in
      LeakChart.chart(subject.name, size: .small, [(key, subject)], aside: Self.aside(of: subject))
    }
    return """
      <article><div class="charts alone">\(Self.figure("all", together))</div>
      <div class="charts small">
      \(each.enumerated().map { Self.figure("class-\($0)", $1) }.joined(separator: "\n"))
      </div></article>
      """
  }

  private static func aside(of subject: Subject) -> String {
    let max = subject.max.map { "at most \(NumberText.count($0)), " } ?? ""
    return
      "\(max)leaked \(NumberText.count(subject.leaked)), late \(NumberText.count(subject.late))"
  }

  private static func figure(_ name: String, _ chart: Chart) -> String {
    "<figure data-chart=\"\(name)\">\n\(ChartDrawing(chart).svg)\n</figure>"
  }
}

/// A chart of live counts over time.
enum LeakChart {
  /// The number of characters that fit into the title of a small chart.
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

  /// A linear axis even over decades: a leak is a rising line, and twice as steep is twice as bad.
  private static func axis(upTo greatest: Double) -> Chart.Axis {
    let scale = Scale.fitting([greatest])
    return Chart.Axis(
      title: "instances", scale: scale,
      ticks: scale.ticks.filter { $0 == $0.rounded() }.map { value in
        Chart.Axis.Tick(value: value, text: FigureUnit.count.tickText(value))
      })
  }

  /// A line with a mark only at its end: there are hundreds of counts.
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

/// A table of all classes; a click on a column's title sorts it.
struct LeakTable {
  let subjects: [LeakPage.Subject]

  var html: String {
    let numbers = ["live", "max", "leaked", "late"].map {
      "<th scope=\"col\" class=\"number\">\($0)</th>"
    }
    return """
      <div class="scroll tall"><table id="rows">
      <thead><tr><th scope="col">class</th>\(numbers.joined())</tr></thead>
      <tbody>
      \(subjects.map(row).joined(separator: "\n"))
      </tbody></table></div>
      """
  }

  private func row(_ subject: LeakPage.Subject) -> String {
    let counts = [subject.live, subject.max, subject.leaked, subject.late]
    return "<tr><td>\(subject.name.escapedForMarkup)</td>\(counts.map(HTMLPage.cell).joined())</tr>"
  }
}
