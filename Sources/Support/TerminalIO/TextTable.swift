/// A table of aligned columns, for people to read.
package struct TextTable {
  package struct Column {
    package enum Alignment { case left, right }

    package var title: String
    package var alignment: Alignment

    package init(title: String = "", alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  package var columns: [Column]
  /// The cells. A row may have fewer cells than there are columns, but not more.
  package var rows: [[String]]

  package init(columns: [Column], rows: [[String]] = []) {
    self.columns = columns
    self.rows = rows
  }

  /// The lines without trailing spaces. The titles come first unless all are empty.
  package var lines: [String] {
    let titles = columns.map(\.title)
    let grid = ((titles.allSatisfy(\.isEmpty) ? [] : [titles]) + rows)
      .map { $0.map(\.withoutControls) }
    let widths = columns.indices.map { column in
      grid.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    return grid.map { row in
      let cells = zip(row, zip(columns, widths)).map { text, shape in
        let padding = String(repeating: " ", count: shape.1 - text.count)
        return shape.0.alignment == .left ? text + padding : padding + text
      }
      return cells.joined(separator: "  ").trimmingTrailingSpaces
    }
  }
}

extension String {
  /// The string with a space for each control character, which could move a terminal's cursor.
  package var withoutControls: String {
    guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return self
    }
    return String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }

  fileprivate var trimmingTrailingSpaces: String {
    var end = endIndex
    while end > startIndex, self[index(before: end)] == " " { end = index(before: end) }
    return String(self[..<end])
  }
}

/// A table in Markdown.
package struct MarkdownTable {
  package var columns: [TextTable.Column]
  package var rows: [[String]]

  package init(columns: [TextTable.Column], rows: [[String]]) {
    self.columns = columns
    self.rows = rows
  }

  /// The table, with a line break after each line.
  package var text: String {
    let titles = columns.map(\.title)
    let rules = columns.map { $0.alignment == .right ? "---:" : "---" }
    return ([titles, rules] + rows).map { row in
      "| \(row.map(Self.cell).joined(separator: " | ")) |\n"
    }.joined()
  }

  /// Escapes a cell, so that no name in it can end the cell or the table, or become markup.
  private static func cell(_ text: String) -> String {
    text.withoutControls.replacing("|", with: "\\|").replacing("<", with: "&lt;")
  }
}
