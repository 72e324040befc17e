import Charts

/// The leaks of a program as one HTML page that needs nothing else, with how the counts came to that.
struct LeakPage {
  /// A class, or a group of classes.
  struct Subject {
    var name: String
    /// Nil if it is not known.
    var live: Int?
    var max: Int?
    var leaked: Int
    var late: Int
    /// How many lived, by growing seconds.
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

  /// More lines in one chart cannot be told apart.
  static let mostInOneChart = 8
  static let mostCharts = 40

  let subjects: [Subject]
  private let summary: String
  private let messages: [String]

  /// - Parameter subjects: those that matter most first.
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

  /// Those of the chart of several.
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
