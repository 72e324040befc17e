import TerminalIO
import Charts
import Measurements

/// A comparison in cells, which text and Markdown show each their way: a table for each workload, size and
/// number of threads.
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

  /// In the order of the rows.
  var all: [Table] {
    let titles = comparison.rows.map { Self.title(of: $0.configuration) }
    let grouped = Dictionary(grouping: zip(titles, comparison.rows), by: \.0)
    return titles.withoutRepetitions.map { title in
      Table(title: title, rows: grouped[title, default: []].map { Self.cells(of: $0.1) })
    }
  }

  /// Those of one side, a line each.
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

  /// A backend's name alone, and what the others are beside theirs.
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

  /// Three digits after the point, where a per cent matters: 0.987, 1.05, 12.3.
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
