import TerminalIO
import Charts
import Measurements
import Reporting

/// The rows of open loops for people: how long operations took, and how long somebody would have waited.
struct OpenLoopTable {
  private let lines: [SummaryLine]
  private let trials: [Series: [Measurement]]

  /// Rows of closed loops are left out.
  init(of measurements: [Measurement]) {
    let rows = measurements.filter { $0.configuration.pace.mode == .open }
    lines = CatalogOrder.sorted(SummaryLine.lines(for: rows), threadsFirst: true)
    trials = Dictionary(grouping: rows, by: Series.init)
  }

  /// A block for each collection, workload, size and number of threads; none if there is nothing to show.
  var blocks: [[String]] {
    let titles = lines.map(Self.title)
    let grouped = Dictionary(grouping: zip(titles, lines), by: \.0)
    let blocks = titles.withoutRepetitions.map { title in
      [title] + table(of: grouped[title, default: []].map(\.1)).lines
    }
    return blocks.isEmpty ? [] : blocks + [Self.legend]
  }

  private static let service: [MetricColumn] = [
    .serviceP50, .serviceP99, .serviceP999, .serviceP9999, .serviceMax,
  ]
  private static let intended: [MetricColumn] = [
    .intendedP50, .intendedP99, .intendedP999, .intendedP9999, .intendedMax,
  ]

  private func table(of lines: [SummaryLine]) -> TextTable {
    func numbers(_ titles: [String]) -> [TextTable.Column] {
      titles.map { .init(title: $0, alignment: .right) }
    }
    return TextTable(
      columns: [.init(title: "BACKEND")] + numbers(["load", "target/s", "done/s", "backlog"])
        + [.init(title: "TIME")] + numbers(["p50", "p99", "p99.9", "p99.99", "max"]),
      rows: lines.flatMap(rows))
  }

  /// A line of service times, and under it one of intended ones.
  private func rows(of line: SummaryLine) -> [[String]] {
    let pace = line.configuration.pace
    let rows = trials[line.summary.series, default: []]
    func text(_ metric: MetricColumn) -> String {
      FigureUnit.nanoseconds.text(Statistics.median(rows.compactMap(metric.value(in:))))
    }
    let backlog = Statistics.median(rows.compactMap { $0.openLoop.backlog.map(Double.init) })
    let facts = [
      line.name, Self.loadText(pace),
      NumberText.rate(pace.targetOperationsPerSecond),
      NumberText.rate(line.summary.medianOperationsPerSecond), NumberText.rate(backlog),
    ]
    return [
      facts + ["service"] + Self.service.map(text),
      facts.map { _ in "" } + ["intended"] + Self.intended.map(text),
    ]
  }

  static func loadText(_ pace: Measurement.Pace) -> String {
    pace.loadPercent.map { "\($0) %" } ?? NumberText.missing
  }

  private static func title(of line: SummaryLine) -> String {
    let configuration = line.configuration
    let threads = configuration.threads == 1 ? "1 thread" : "\(configuration.threads) threads"
    return "\(SummaryTable.title(of: line)), \(threads), open loop"
  }

  private static let legend = [
    "service: from an operation's start to its end; intended: from when it was due, which is what somebody "
      + "would have waited.",
    "load: the target in percent of the capacity found; backlog: due and never started; medians of the "
      + "trials; \(NumberText.missing) not measured.",
  ]
}
