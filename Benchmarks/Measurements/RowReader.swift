/// Turns the records of one file into what its rows stand for, by the names in its header.
struct RowReader<Row: Sendable> {
  private let fieldCount: Int
  /// The known columns that the file has, and where, in the order of the table: `schema`, where there is
  /// one, is the first to be looked at.
  private let columns: [(column: Column<Row>, position: Int)]
  private let unread: Row

  /// Rows are read into `unread`, of which no value survives if the required columns are all its values
  /// that are not `nil`.
  init(_ table: [Column<Row>], header: [String], into unread: Row) throws(ResultsError) {
    fieldCount = header.count
    self.unread = unread
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
    guard record.fields.count == fieldCount else {
      throw .wrongFieldCount(
        line: record.line, found: record.fields.count, expected: fieldCount)
    }
    try checkSchema(of: record)
    var row = unread
    for (column, position) in columns {
      let field = record.fields[position]
      guard column.set(field.text, &row) else {
        throw .malformed(
          column: column.name, line: field.line, columnNumber: position + 1, found: field.text,
          expected: column.expected)
      }
    }
    return row
  }

  /// Before anything else, as a newer schema may well look damaged.
  private func checkSchema(of record: CSVRecord) throws(ResultsError) {
    guard columns[0].column.name == "schema" else { return }
    let field = record.fields[columns[0].position]
    if let schema = Int(field.text), schema > MeasurementCSV.schema {
      throw .unsupportedSchema(
        found: schema, line: field.line, newestKnown: MeasurementCSV.schema)
    }
  }
}

extension Measurement {
  /// What a row is read into.
  static let unread = Measurement(
    identity: Identity(row: "", kind: .subject, run: "", timestamp: ""),
    environment: Environment(
      machine: "", cores: 0, swift: "", allocator: "", buildConfiguration: ""),
    configuration: Configuration(
      collection: "", backend: "", workload: "",
      shares: Shares(read: 0, insert: 0, update: 0, remove: 0, iterate: 0), driver: "",
      threads: 0, size: 0),
    trial: Trial(seed: 0, number: 0, requestedSeconds: 0),
    throughput: Throughput(
      seconds: 0, operations: 0, nanosecondsPerOperation: 0, operationsPerSecond: 0))
}
