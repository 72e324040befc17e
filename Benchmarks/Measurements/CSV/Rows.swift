/// A value that is one row of a CSV file.
protocol CSVRow: Sendable {
  /// The row into which a reader stores the fields. It supplies the values of the columns that the
  /// file lacks.
  static var unread: Self { get }
}

/// Converts the records of one file to rows, by the names in its header.
struct RowReader<Row: CSVRow> {
  private let fieldCount: Int
  /// The known columns of the file with their positions, in the order of the table. `schema` is the
  /// first of the table, so that it is checked before the others.
  private let columns: [(column: Column<Row>, position: Int)]

  init(_ table: [Column<Row>], header: [String]) throws(ResultsError) {
    fieldCount = header.count
    var columns: [(column: Column<Row>, position: Int)] = []
    for column in table {
      let positions = header.indices.filter { header[$0] == column.name }
      guard positions.count <= 1 else { throw .duplicateColumn(column.name) }
      if let position = positions.first {
        columns.append((column, position))
      } else if column.isRequired {
        throw .missingColumn(column.name)
      }
    }
    self.columns = columns
  }

  func row(in record: CSVRecord) throws(ResultsError) -> Row {
    let found = record.fields.count
    let isHeader =
      columns.count > 1
      && columns.prefix(2).allSatisfy { column, position in
        position < found && record.fields[position].text == column.name
      }
    guard !isHeader else { throw .repeatedHeader(line: record.line) }
    guard found == fieldCount else {
      throw found < fieldCount && !record.hasLineEnd
        ? .truncatedRow(line: record.line, found: found, expected: fieldCount)
        : .wrongFieldCount(line: record.line, found: found, expected: fieldCount)
    }
    var row = Row.unread
    for (column, position) in columns {
      let field = record.fields[position]
      // Checked before the value, because a file of a newer schema may look damaged.
      if column.name == "schema" { try MeasurementCSV.check(schema: field) }
      guard column.set(field.text, &row) else {
        throw .malformed(
          column: column.name, line: field.line, columnNumber: position + 1, found: field.text,
          expected: column.expected)
      }
    }
    return row
  }
}

/// Writes rows with the columns of one header.
struct RowWriter<Row: CSVRow>: Sendable {
  /// All columns that a file of such rows may have.
  private let table: [Column<Row>]
  private let columns: [Column<Row>]

  /// Creates a writer of the columns of a file that has `parts`.
  init(_ table: [Column<Row>], parts: Set<MeasurementCSV.Part>) {
    self.table = table
    columns = table.filter { parts.isSuperset(of: $0.parts) }
  }

  /// Creates a writer that omits the columns of parts that no row has.
  init(_ table: [Column<Row>], of rows: [Row]) {
    let filled = table.filter { rows.contains(where: $0.isFilled) }
    self.init(table, parts: Set(filled.flatMap(\.parts)))
  }

  /// Creates a writer of the columns of an existing file.
  ///
  /// - Throws: An error if the file lacks a column of `parts`, or has an unknown one.
  init(
    _ table: [Column<Row>], parts: Set<MeasurementCSV.Part>, continuing header: [String]
  ) throws(ResultsError) {
    _ = try RowReader(table, header: header)
    var columns: [Column<Row>] = []
    for name in header {
      guard let column = table.first(where: { $0.name == name }) else {
        throw .unknownColumn(name)
      }
      columns.append(column)
    }
    for column in RowWriter(table, parts: parts).columns where !header.contains(column.name) {
      throw .missingColumn(column.name)
    }
    self.table = table
    self.columns = columns
  }

  /// The first line of the file.
  var header: String { columns.map(\.name).joined(separator: ",") + "\n" }

  /// Returns the text of one row, which spans several lines if one of its fields does.
  func line(for row: Row) -> String {
    columns.map { MeasurementCSV.field($0.text(row)) }.joined(separator: ",") + "\n"
  }

  /// Returns the first column whose value cannot be written, or that has a value but is not in the
  /// file; `nil` if there is none.
  func invalidColumn(in row: Row) -> String? {
    table.first { column in
      !column.isWritable(row)
        || column.isFilled(row) && !columns.contains { $0.name == column.name }
    }?.name
  }
}

extension Column where Row: CSVRow {
  /// Returns whether a file without the column would lose a value of the row.
  fileprivate func isFilled(_ row: Row) -> Bool { text(row) != text(.unread) }
}
