/// A table as Markdown has it.
package struct MarkdownTable {
  package var columns: [TextTable.Column]
  package var rows: [[String]]

  package init(columns: [TextTable.Column], rows: [[String]]) {
    self.columns = columns
    self.rows = rows
  }

  /// With a line end after each line.
  package var text: String {
    let titles = columns.map(\.title)
    let rules = columns.map { $0.alignment == .right ? "---:" : "---" }
    return ([titles, rules] + rows).map { row in
      "| \(row.map(Self.cell).joined(separator: " | ")) |\n"
    }.joined()
  }

  /// What a name brings along ends neither the cell nor the table, and is no markup.
  private static func cell(_ text: String) -> String {
    text.withoutControls.replacing("|", with: "\\|").replacing("<", with: "&lt;")
  }
}
