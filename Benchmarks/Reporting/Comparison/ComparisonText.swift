import Charts
import Measurements
import TerminalIO

/// A comparison as text for a terminal, and as Markdown for a pull request.
package struct ComparisonText {
  private let tables: ComparisonTables
  private let summary: ComparisonSummary

  package init(_ comparison: Comparison, _ names: ComparisonNames) {
    tables = ComparisonTables(comparison)
    summary = ComparisonSummary(comparison, names)
  }

  package var text: String {
    let blocks = tables.all.map { table in
      [table.title] + TextTable(columns: tables.columns, rows: table.rows).lines
    }
    let sides = tables.unmatched.map { side in ["\(side.title):"] + side.lines.map { "  \($0)" } }
    return
      ([summary.preamble] + blocks + sides + [ComparisonSummary.legend, summary.result])
      .map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  package var markdown: String {
    let blocks = tables.all.map { table in
      "## \(table.title)\n\n" + MarkdownTable(columns: tables.columns, rows: table.rows).text
    }
    let sides = tables.unmatched.map { side in
      "## \(side.title)\n\n" + side.lines.map { "- \($0)\n" }.joined()
    }
    let head =
      "# Comparison\n\n**\(summary.counts).** " + summary.preamble.joined(separator: " ") + "\n"
    let foot = (ComparisonSummary.legend + summary.result.dropLast()).joined(separator: " ") + "\n"
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
    let isAbove = terms.rule.assumedNoise > terms.rule.margin
    let noise =
      terms.rule.assumedNoise > 0
      ? [
        "Assumed noise: \(ComparisonTables.percent(terms.rule.assumedNoise))"
          + (isAbove ? "; above the margin, so nothing is called equivalent." : ".")
      ] : []
    return [
      "\(terms.metric.rawValue), \(better): \(names.candidate) against \(names.base).",
      "Ratio: candidate ÷ base, the geometric mean over sessions. Margin of equivalence: "
        + "\(ComparisonTables.percent(terms.rule.margin)).",
    ] + noise
  }

  /// The geometric mean of the ratios, and the counts of verdicts.
  var result: [String] {
    let mean = comparison.geometricMean.map {
      "geometric mean of the backends' ratios: \(ComparisonTables.ratio($0))"
    }
    return [mean, counts + "."].compactMap(\.self)
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

  /// The measurement that would decide more rows; `nil` if all are decided.
  package var advice: String? {
    let undecided = comparison.rows.filter { $0.isSubject && $0.verdict == .undecided }
    guard !undecided.isEmpty else { return nil }
    return undecided.contains(where: \.judgment.isIndicative)
      ? "a side has one session, and sessions of the same build differ more than trials: measure both "
        + "sides in three or more sessions"
      : "more sessions make the intervals narrower"
  }

  /// The meaning of the columns.
  package static let legend = [
    "interval: 95 % confidence, over sessions, of the ratio; not corrected for the number of rows.",
    "equivalent: the interval is within the margin; faster, slower: it excludes 1 and any assumed "
      + "noise; else undecided.",
    "(range): one side's median is more than twice the other's, but the interval does not decide.",
    "(in session): the interval is over the trials of one session; another session may differ.",
  ]
}

/// The tables of a comparison, one per workload, entries and threads.
struct ComparisonTables {
  struct Table {
    var title: String
    var rows: [[String]]
  }

  private let comparison: Comparison

  init(_ comparison: Comparison) { self.comparison = comparison }

  var columns: [TextTable.Column] {
    let titles = ["base", "candidate", "ratio", "interval", "sessions", "trials"]
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

  /// The series that only one side has, one per line. A side without such series is omitted.
  var unmatched: [(title: String, lines: [String])] {
    [
      ("Only in the base", comparison.onlyInBase),
      ("Only in the candidate", comparison.onlyInCandidate),
    ].filter { !$0.1.isEmpty }.map { title, series in
      (title, series.map { "\(Self.title(of: $0.configuration)): \(Self.name(of: $0))" })
    }
  }

  private static func cells(of row: ComparedRow) -> [String] {
    let (base, candidate, estimate) = (row.base, row.candidate, row.judgment.estimate)
    let interval = estimate.interval.map { "\(ratio($0.lowerBound))–\(ratio($0.upperBound))" }
    func counts(_ count: (SessionValues) -> Int) -> String {
      [base, candidate].map { "\(count($0.values))" }.withoutRepetitions.joined(separator: ", ")
    }
    let scope =
      row.judgment.isIndicative && row.judgment.verdict != .undecided ? " (in session)" : ""
    return [
      name(of: candidate), NumberText.amount(base.values.figure),
      NumberText.amount(candidate.values.figure), ratio(estimate.ratio),
      interval ?? NumberText.missing, counts(\.sessions.count), counts(\.trials),
      row.judgment.text + scope,
    ]
  }

  private static func name(of series: ComparedSeries) -> String {
    series.kind.name(of: series.configuration.backend)
  }

  private static func title(of configuration: Measurement.Configuration) -> String {
    let mix = configuration.workload == "custom" ? " (\(configuration.shares.mixText))" : ""
    let types = [configuration.keyType, configuration.valueType, configuration.keyDistribution]
      .compactMap(\.self).joined(separator: " ")
    return "\(configuration.collection), \(configuration.workload)\(mix), \(types), "
      + "\(configuration.entriesText), \(NumberText.count(configuration.threads, "thread")) (\(configuration.driver))"
      + (configuration.pace.text.map { ", \($0)" } ?? "")
  }

  /// Returns a ratio with three decimals, or fewer if it is large: 0.987, 1.05, 12.3.
  static func ratio(_ value: Double) -> String {
    guard value.isFinite else { return "∞" }
    return value < 9.995 ? NumberText.fixed(value, decimals: 3) : NumberText.amount(value)
  }

  static func percent(_ fraction: Double) -> String {
    let text = NumberText.fixed(fraction * 100, decimals: 1)
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

extension Measurement.Kind {
  /// Returns the name of a contestant in tables; peers and baselines also have their kind.
  package func name(of contestant: String) -> String {
    self == .subject ? contestant : "\(contestant) (\(rawValue))"
  }
}

extension Measurement.Configuration {
  /// The number of entries, such as "1,024 entries".
  package var entriesText: String { NumberText.count(entries, "entry", plural: "entries") }
}

extension Measurement.Shares {
  /// The shares as the option `--mix` reads them.
  package var mixText: String {
    nonzero.map { "\($0.operation)=\($0.percent)" }.joined(separator: ",")
  }

  /// The shares in words.
  var text: String { nonzero.map { "\($0.percent) % \($0.plural)" }.joined(separator: ", ") }

  private var nonzero: [(operation: String, plural: String, percent: Int)] {
    [
      ("read", "reads", read), ("insert", "inserts", insert), ("update", "updates", update),
      ("remove", "removals", remove), ("iterate", "iterations", iterate),
    ].filter { $0.percent > 0 }
  }
}
