import Charts
import Measurements
import Reporting
import TerminalIO

/// The table of open loops: service times and intended times.
struct OpenLoopTable {
  private let lines: [SummaryLine]
  private let trials: [Series: [Measurement]]

  /// Creates the table from the rows of open loops in `measurements`.
  init(of measurements: [Measurement]) {
    let rows = measurements.filter { $0.configuration.pace.mode == .open }
    lines = CatalogOrder.sorted(SummaryLine.lines(for: rows), threadsFirst: true)
    trials = Dictionary(grouping: rows, by: Series.init)
  }

  /// One block per collection, workload, entries and threads; empty without rows.
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

  /// Returns a line of service times and a line of intended times.
  private func rows(of line: SummaryLine) -> [[String]] {
    let pace = line.configuration.pace
    let rows = trials[line.summary.series, default: []]
    func text(_ metric: MetricColumn) -> String {
      FigureUnit.nanoseconds.text(metric.figure(of: rows))
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
    let threads = NumberText.count(configuration.threads, "thread")
    return "\(SummaryTable.title(of: line)), \(threads), open loop"
  }

  private static let legend = [
    "service: from an operation's start to its end; intended: from when it was due to its end, the "
      + "latency that a user sees.",
    "load: the target in percent of the measured capacity; backlog: due and never started; "
      + "\(NumberText.missing) not measured.",
    "From p99 on, the worst trial, because a backend may collapse in some; medians of the trials before.",
  ]
}

/// The table of roles in open loops: medians over the trials of a series; from p99 on, the worst
/// trial.
struct OpenLoopRolesTable {
  private let lines: [SummaryLine]
  private let trials: [Series: [Measurement]]

  /// Creates the table from the rows of open loops with roles.
  init(of measurements: [Measurement]) {
    let rows = measurements.filter {
      $0.configuration.pace.mode == .open && !$0.roles.isEmpty
    }
    lines = CatalogOrder.sorted(SummaryLine.lines(for: rows), threadsFirst: true)
    trials = Dictionary(grouping: rows, by: Series.init)
  }

  /// One block per collection, roles and entries; empty without rows.
  var text: String {
    let titles = lines.map { "\(SummaryTable.title(of: $0)), open loop, each role" }
    let grouped = Dictionary(grouping: zip(titles, lines), by: \.0)
    let blocks = titles.withoutRepetitions.map { title in
      ([title] + table(of: grouped[title, default: []].map(\.1)).lines).joined(separator: "\n")
    }
    return blocks.joined(separator: "\n\n")
  }

  private func table(of lines: [SummaryLine]) -> TextTable {
    func numbers(_ titles: [String]) -> [TextTable.Column] {
      titles.map { .init(title: $0, alignment: .right) }
    }
    return TextTable(
      columns: [.init(title: "BACKEND")] + numbers(["load", "target/s"]) + [.init(title: "ROLE")]
        + numbers(["WORKERS", "done/s", "backlog"]) + [.init(title: "TIME")]
        + numbers(["p50", "p99", "p99.9", "p99.99", "max"]),
      rows: lines.flatMap(rows))
  }

  /// Returns, for each role, a line of service times and a line of intended times.
  private func rows(of line: SummaryLine) -> [[String]] {
    let trials = trials[line.summary.series, default: []]
    let names = trials.first?.roles.map(\.name) ?? []
    return names.enumerated().flatMap { place, name in
      let roles = trials.compactMap { $0.roles.first { $0.name == name } }
      let pace = line.configuration.pace
      let series = [
        line.name, OpenLoopTable.loadText(pace), NumberText.rate(pace.targetOperationsPerSecond),
      ]
      let facts =
        (place == 0 ? series : series.map { _ in "" }) + [name] + Self.facts(of: roles)
      return [
        facts + ["service"] + Self.times(of: roles.map(\.openLoop.service)),
        facts.map { _ in "" } + ["intended"] + Self.times(of: roles.map(\.openLoop.intended)),
      ]
    }
  }

  private static func facts(of roles: [Measurement.Role]) -> [String] {
    let backlog = Statistics.median(roles.compactMap { $0.openLoop.backlog.map(Double.init) })
    return [
      NumberText.count(roles[0].workers),
      NumberText.rate(Statistics.median(roles.map(\.operationsPerSecond))),
      NumberText.rate(backlog),
    ]
  }

  private static func times(of percentiles: [Measurement.Percentiles]) -> [String] {
    let tails: [(Measurement.Percentiles) -> Double?] = [
      \.p99Nanoseconds, \.p999Nanoseconds, \.p9999Nanoseconds, \.maxNanoseconds,
    ]
    let median = Statistics.median(percentiles.compactMap(\.p50Nanoseconds))
    return ([median] + tails.map { percentiles.compactMap($0).max() })
      .map(FigureUnit.nanoseconds.text)
  }
}
