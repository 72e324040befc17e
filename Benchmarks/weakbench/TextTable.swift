/// Columns that line up, for people.
struct TextTable {
  struct Column {
    enum Alignment { case left, right }

    var title = ""
    var alignment = Alignment.left
  }

  var columns: [Column]
  /// A row may be shorter than the columns, but not longer.
  var rows: [[String]] = []

  /// One string a line, without trailing spaces; the titles come first unless all are empty.
  var lines: [String] {
    let titles = columns.map(\.title)
    let grid = (titles.allSatisfy(\.isEmpty) ? [] : [titles]) + rows
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
  fileprivate var trimmingTrailingSpaces: String {
    var end = endIndex
    while end > startIndex, self[index(before: end)] == " " { end = index(before: end) }
    return String(self[..<end])
  }
}
