import Charts
import Measurements
import TerminalIO

/// A comparison as text for a terminal.
package struct ComparisonText {
  private let comparison: Comparison
  private let summary: ComparisonSummary

  package init(_ comparison: Comparison, _ names: ComparisonNames) {
    self.comparison = comparison
    summary = ComparisonSummary(comparison, names)
  }

  package var text: String {
    let tables = ComparisonTables(comparison)
    let blocks = tables.all.map { table in
      [table.title] + TextTable(columns: tables.columns, rows: table.rows).lines
    }
    let sides = [
      ("Only in the base:", comparison.onlyInBase),
      ("Only in the candidate:", comparison.onlyInCandidate),
    ].filter { !$0.1.isEmpty }.map { [$0.0] + ComparisonTables.lines($0.1).map { "  \($0)" } }
    return
      ([summary.preamble] + blocks + sides + [ComparisonSummary.legend, [summary.counts + "."]])
      .map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }
}

/// A comparison as Markdown for a pull request.
package struct ComparisonMarkdown {
  private let comparison: Comparison
  private let summary: ComparisonSummary

  package init(_ comparison: Comparison, _ names: ComparisonNames) {
    self.comparison = comparison
    summary = ComparisonSummary(comparison, names)
  }

  package var text: String {
    let tables = ComparisonTables(comparison)
    let blocks = tables.all.map { table in
      "## \(table.title)\n\n"
        + MarkdownTable(columns: tables.columns, rows: table.rows).text
    }
    let sides = [
      ("Only in the base", comparison.onlyInBase),
      ("Only in the candidate", comparison.onlyInCandidate),
    ].filter { !$0.1.isEmpty }.map { title, series in
      "## \(title)\n\n" + ComparisonTables.lines(series).map { "- \($0)\n" }.joined()
    }
    let head =
      "# Comparison\n\n**\(summary.counts).** " + summary.preamble.joined(separator: " ") + "\n"
    let foot = ComparisonSummary.legend.joined(separator: " ") + "\n"
    return ([head] + blocks + sides + [foot]).joined(separator: "\n")
  }
}

/// The names of the two sides: their files, or the backend of the base.
package struct ComparisonNames: Hashable, Sendable {
  package var base: String
  package var candidate: String

  package init(base: String, candidate: String) {
    self.base = base
    self.candidate = candidate
  }
}

/// The result of a comparison in sentences.
package struct ComparisonSummary {
  private let comparison: Comparison
  private let names: ComparisonNames

  package init(_ comparison: Comparison, _ names: ComparisonNames) {
    self.comparison = comparison
    self.names = names
  }

  /// The compared sides and the rules of the comparison.
  package var preamble: [String] {
    let terms = comparison.terms
    let better = terms.metric.isSmallerBetter ? "less is better" : "more is better"
    return [
      "\(terms.metric.rawValue), \(better): \(names.candidate) against \(names.base).",
      "Ratio: candidate ÷ base, of medians. "
        + "Threshold \(ComparisonTables.percent(terms.threshold.part)); noise floor \(floor).",
    ]
  }

  private var floor: String {
    guard let floor = comparison.noiseFloor else {
      return "unknown, because there is no A/A run and too few rows are from several runs"
    }
    let source =
      switch floor.source {
      case .measured: "measured by an A/A run"
      case .betweenProcesses: "estimated from the differences between processes"
      }
    let greatest = ComparisonTables.percent(floor.part)
    // With an A/A run, each row has its own floor, which depends on threads, processes and trials.
    let least = comparison.rows.compactMap(\.noiseFloor?.part).min()
    let texts = [least.map(ComparisonTables.percent) ?? greatest, greatest].withoutRepetitions
    return "\(texts.joined(separator: " to ")), \(source)"
  }

  /// The number of backends' rows with each verdict, and the number of other rows.
  package var counts: String {
    let counts = Verdict.allCases.map { "\(comparison.count(of: $0)) \($0.rawValue)" }
    let others = comparison.rows.count { !$0.isSubject }
    let uncounted = others == 0 ? "" : "; \(others) of peers and baselines, which do not count"
    let lost = comparison.lostRows.count
    let missing = lost == 0 ? "" : "; \(lost) of the base alone"
    return counts.joined(separator: ", ") + missing + uncounted
  }

  /// The number of trials that more verdicts need, or `nil` if all rows have enough trials.
  package var advice: String? {
    let needed = comparison.terms.trialsNeeded(forRows: comparison.rows.count)
    let isShort = comparison.rows.contains { row in
      let values =
        row.comparesProcesses
        ? (row.base.processes, row.candidate.processes)
        : (row.base.trials, row.candidate.trials)
      return row.verdict == .undecided && min(values.0, values.1) < needed
    }
    guard isShort else { return nil }
    return
      "too few trials to decide all rows: an interval needs \(Bootstrap.valuesNeeded) per side, "
      + "and 'better' or 'worse' among so many rows needs \(needed)"
  }

  /// The meaning of the columns.
  package static let legend = [
    "δ: Cliff's delta, 1 if every candidate trial is above every base trial; p: Mann–Whitney, by "
      + "Holm for all rows.",
    "same: the interval is within the threshold; better, worse: it excludes 1 and the noise floor, "
      + "and p ≤ 0.05; else undecided.",
  ]
}

/// The tables of a comparison, one per workload, size and number of threads.
struct ComparisonTables {
  struct Table {
    var title: String
    var rows: [[String]]
  }

  private let comparison: Comparison

  init(_ comparison: Comparison) { self.comparison = comparison }

  var columns: [TextTable.Column] {
    let titles = [
      "base", "candidate", "ratio",
      "\(Self.percent(comparison.terms.bootstrap.confidence)) interval",
      "trials", "δ", "p",
    ]
    return [.init(title: "BACKEND")] + titles.map { .init(title: $0, alignment: .right) }
      + [.init(title: "VERDICT")]
  }

  /// The tables, in the order of the rows.
  var all: [Table] {
    let titles = comparison.rows.map { Self.title(of: $0.configuration) }
    let grouped = Dictionary(grouping: zip(titles, comparison.rows), by: \.0)
    return titles.withoutRepetitions.map { title in
      Table(title: title, rows: grouped[title, default: []].map { Self.cells(of: $0.1) })
    }
  }

  /// Returns one line for each series.
  static func lines(_ series: [ComparedSeries]) -> [String] {
    series.map { "\(title(of: $0.configuration)): \(name(of: $0))" }
  }

  private static func cells(of row: ComparedRow) -> [String] {
    let (base, candidate, evidence) = (row.base, row.candidate, row.evidence)
    let interval = evidence.interval.map { "\(ratio($0.lowerBound))–\(ratio($0.upperBound))" }
    let trials =
      base.trials == candidate.trials ? "\(base.trials)" : "\(base.trials), \(candidate.trials)"
    return [
      name(of: candidate), NumberText.amount(evidence.baseMedian),
      NumberText.amount(evidence.candidateMedian),
      ratio(evidence.ratio), interval ?? NumberText.missing, trials,
      NumberText.signed(evidence.cliffsDelta), probability(evidence.adjustedPValue),
      row.verdict.rawValue,
    ]
  }

  /// Returns the name; peers and baselines also have their kind.
  private static func name(of series: ComparedSeries) -> String {
    let backend = series.configuration.backend
    return series.kind == .subject ? backend : "\(backend) (\(series.kind.rawValue))"
  }

  private static func title(of configuration: Measurement.Configuration) -> String {
    let mix = configuration.workload == "custom" ? " (\(configuration.shares.mixText))" : ""
    let types = [configuration.keyType, configuration.valueType, configuration.keyDistribution]
      .compactMap(\.self).joined(separator: " ")
    let threads = configuration.threads == 1 ? "1 thread" : "\(configuration.threads) threads"
    return "\(configuration.collection), \(configuration.workload)\(mix), \(types), "
      + "size \(NumberText.count(configuration.size)), \(threads) (\(configuration.driver))"
      + (configuration.pace.text.map { ", \($0)" } ?? "")
  }

  /// Returns a ratio with three decimals, or fewer if it is large: 0.987, 1.05, 12.3.
  private static func ratio(_ value: Double) -> String {
    guard value.isFinite else { return "∞" }
    return value < 9.995 ? NumberText.fixed(value, decimals: 3) : NumberText.amount(value)
  }

  private static func probability(_ value: Double) -> String {
    value < 0.001 ? "< 0.001" : NumberText.fixed(value, decimals: 3)
  }

  static func percent(_ part: Double) -> String {
    let text = NumberText.fixed(part * 100, decimals: 1)
    return "\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text) %"
  }
}

extension Measurement.Pace {
  /// The rate of an open loop in words, or `nil` in a closed loop.
  package var text: String? {
    guard mode == .open else { return nil }
    let load = loadPercent.map { " at \($0) % of capacity" } ?? ""
    let target = targetOperationsPerSecond.map { ", \(NumberText.rate($0)) operations/s" } ?? ""
    return "open loop\(load)\(target)"
  }
}

extension Measurement.Shares {
  /// The shares as the option `--mix` reads them.
  package var mixText: String {
    let shares = [
      ("read", read), ("insert", insert), ("update", update), ("remove", remove),
      ("iterate", iterate),
    ]
    return shares.filter { $0.1 > 0 }.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
  }
}
