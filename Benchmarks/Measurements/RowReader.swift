/// Turns the records of one file into measurements, by the names in its header.
struct RowReader {
  private let fieldCount: Int
  /// The known columns that the file has, and where, in the order of the table: `schema` is the
  /// first to be looked at.
  private let columns: [(column: Column, position: Int)]

  init(header: [String]) throws(ResultsError) {
    fieldCount = header.count
    var columns: [(column: Column, position: Int)] = []
    for column in Column.table {
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

  func measurement(in record: CSVRecord) throws(ResultsError) -> Measurement {
    guard record.fields.count == fieldCount else {
      throw .wrongFieldCount(
        line: record.line, found: record.fields.count, expected: fieldCount)
    }
    try checkSchema(of: record)
    var measurement = Measurement.unread
    for (column, position) in columns {
      let field = record.fields[position]
      guard column.set(field.text, &measurement) else {
        throw .malformed(
          column: column.name, line: field.line, columnNumber: position + 1, found: field.text,
          expected: column.expected)
      }
    }
    return measurement
  }

  /// Before anything else, as a newer schema may well look damaged.
  private func checkSchema(of record: CSVRecord) throws(ResultsError) {
    let field = record.fields[columns[0].position]
    if let schema = Int(field.text), schema > MeasurementCSV.schema {
      throw .unsupportedSchema(
        found: schema, line: field.line, newestKnown: MeasurementCSV.schema)
    }
  }
}

extension Measurement {
  /// What a row is read into. No value of it survives: the required columns replace those that are
  /// not `nil`.
  fileprivate static let unread = Measurement(
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
