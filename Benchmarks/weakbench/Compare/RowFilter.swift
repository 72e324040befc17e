import TerminalIO
import Measurements

/// Which rows of a file are compared: those with a text in a column.
struct RowFilter: Equatable {
  let column: String
  let text: String

  /// What somebody typed after `--filter`, such as `threads=8`.
  init(_ typed: String) throws(CommandError) {
    let parts = typed.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw .usage("--filter \(typed.quotedOnOneLine) (allowed: column=text, such as threads=8)")
    }
    column = String(parts[0])
    text = String(parts[1])
    guard MeasurementCSV.columnNames.contains(column) else {
      throw .unknown("column", column, allowed: MeasurementCSV.columnNames)
    }
  }

  func includes(_ row: Measurements.Measurement) -> Bool {
    MeasurementCSV.text(ofColumn: column, in: row) == text
  }
}

extension [RowFilter] {
  /// Filters of one column add to each other, those of several all hold.
  func rows(of rows: [Measurements.Measurement]) -> [Measurements.Measurement] {
    let byColumn = Dictionary(grouping: self, by: \.column).values
    return rows.filter { row in
      byColumn.allSatisfy { filters in filters.contains { $0.includes(row) } }
    }
  }
}
