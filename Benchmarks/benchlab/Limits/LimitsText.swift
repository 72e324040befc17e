import TerminalIO
import Charts
import Reporting

/// A report for a terminal.
struct LimitsText {
  let report: LimitsReport

  var text: String {
    let tables = LimitsTables(report: report).all.map { table in
      ([table.title] + TextTable(columns: table.columns, rows: table.rows).lines)
        .joined(separator: "\n")
    }
    let legend = "\(NumberText.missing) not measured; what rests on it is neither met nor missed."
    return ([report.preamble.joined(separator: "\n")] + tables + [legend])
      .joined(separator: "\n\n") + "\n"
  }
}

/// A report for `results/` and the README.
struct LimitsMarkdown {
  let report: LimitsReport

  var text: String {
    let tables = LimitsTables(report: report).all.map { table in
      "## \(table.title)\n\n" + MarkdownTable(columns: table.columns, rows: table.rows).text
    }
    return "# Limits\n\n" + report.preamble.joined(separator: " ") + "\n\n"
      + tables.joined(separator: "\n") + "\n\(NumberText.missing): not measured.\n"
  }
}
