/// Measurements as CSV by RFC 4180: a header, and one row for each trial.
///
/// Written with LF between lines, as Unix tools expect; read with any line end. An empty field was
/// not measured. Reading a number gives the same value back.
public enum MeasurementCSV {
  /// The version of the columns' meanings. It rises only when one changes.
  public static let schema = 1

  /// The names of the columns, in the order in which they are written.
  public static var columnNames: [String] { columns.map(\.name) }

  /// The first line of a file, without its line end.
  public static var header: String { columnNames.joined(separator: ",") }

  /// One row, without its line end; it spans lines if a text in it does.
  ///
  /// - Precondition: `invalidColumn(in:)` is `nil`.
  public static func line(for measurement: Measurement) -> String {
    if let name = invalidColumn(in: measurement) {
      preconditionFailure(
        "the value of '\(name)' in row \(measurement.identity.row) cannot be written as CSV; "
          + "check invalidColumn(in:) first")
    }
    return columns.map { field($0.text(measurement)) }.joined(separator: ",")
  }

  /// A whole file.
  public static func text(of measurements: [Measurement]) -> String {
    ([header] + measurements.map(line)).map { $0 + "\n" }.joined()
  }

  /// The first column whose value is not allowed: a negative or infinite number, a seed of 2⁵³ or
  /// more, an empty text, or a text that a spreadsheet would take for a number, such as `6.3`.
  public static func invalidColumn(in measurement: Measurement) -> String? {
    columns.first { !$0.isWritable(measurement) }?.name
  }

  /// A text as one field, in quotation marks where it needs them.
  public static func field(_ text: String) -> String {
    // Spaces at either end are part of a field, but not every reader knows.
    let isPlain =
      !text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
      && text.first != " " && text.last != " "
    guard !isPlain else { return text }
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"\(parts.joined(separator: "\"\""))\""
  }

  /// The text of one column of a row; `nil` if there is no such column.
  public static func text(ofColumn name: String, in measurement: Measurement) -> String? {
    columns.first { $0.name == name }?.text(measurement)
  }

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

extension Measurement {
  /// The value that a row is read into.
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
