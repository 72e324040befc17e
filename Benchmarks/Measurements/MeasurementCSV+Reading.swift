extension MeasurementCSV {
  /// The names in the first line of a file, known or not.
  ///
  /// Appending is safe only if they are exactly `columnNames`.
  public static func columnNames(in text: String) throws(ResultsError) -> [String] {
    var parser = CSVParser(text)
    guard let header = try parser.next() else { throw .empty }
    return header.fields.map(\.text)
  }

  /// All rows of a file, or none and the error where it is damaged.
  ///
  /// Columns are found by name, in any order. Unknown ones are ignored, and those that may be empty
  /// may be missing, so that files of every version are read.
  public static func measurements(in text: String) throws(ResultsError) -> [Measurement] {
    var parser = CSVParser(text)
    guard let header = try parser.next() else { throw .empty }
    let reader = try RowReader(columns, header: header.fields.map(\.text), into: .unread)
    var measurements: [Measurement] = []
    var rows: Set<String> = []
    while let record = try parser.next() {
      let measurement = try reader.row(in: record)
      guard rows.insert(measurement.identity.row).inserted else {
        throw .duplicateRow(measurement.identity.row, line: record.line)
      }
      measurements.append(measurement)
    }
    return measurements
  }
}
