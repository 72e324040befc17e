import TerminalIO
import Measurements

/// A comparison for a terminal.
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

/// A comparison for a pull request.
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
