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
    return names(in: header)
  }

  /// The names of the columns, under those of this version.
  private static func names(in header: CSVRecord) -> [String] {
    header.fields.map { $0.text == "fork" ? "session" : $0.text }
  }

  /// All rows of a file, or none and the error where it is damaged.
  ///
  /// Columns are found by name, in any order. Unknown ones are ignored, and those that may be empty
  /// may be missing, so that files of every version are read.
  public static func measurements(in text: String) throws(ResultsError) -> [Measurement] {
    var parser = CSVParser(text)
    guard let header = try parser.next() else { throw .empty }
    let reader = try RowReader(columns, header: names(in: header), into: .unread)
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

/// One column of a CSV file: its name, the conversion between a value of a row and its text, and
/// its documentation.
///
/// `docs/csv.md` is generated from the documentation.
struct Column<Row: Sendable>: Sendable {
  let name: String
  /// What a field that is not empty holds, such as `whole number from 1`.
  let type: String
  /// Empty for a text or a mere number.
  let unit: String
  /// One or a few sentences.
  let meaning: String
  /// When a field is empty, such as `in a closed loop`; `nil` for a column that never is.
  let empty: String?
  let isRequired: Bool
  let expected: String
  let text: @Sendable (Row) -> String
  /// Whether reading the text would give the measurement's value back, as what it is.
  let isWritable: @Sendable (Row) -> Bool
  /// Stores the value of a field; `false`, storing nothing, if the text is not valid.
  let set: @Sendable (_ text: String, inout Row) -> Bool

  init<Value: Sendable & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable,
    _ format: FieldFormat<Value>, unit: String = "", _ meaning: String, empty: String? = nil
  ) {
    self.name = name
    type = format.type
    self.unit = unit
    self.meaning = meaning
    self.empty = empty
    isRequired = format.isRequired
    expected = format.expected
    text = { row in format.text(row[keyPath: path]) }
    let holdsText = Value.self == String.self || Value.self == String?.self
    isWritable = { row in
      let value = row[keyPath: path]
      let text = format.text(value)
      // A spreadsheet would make a number of a text such as "6.3".
      return format.value(text) == value && !(holdsText && Double(text) != nil)
    }
    set = { text, row in
      guard let value = format.value(text) else { return false }
      row[keyPath: path] = value
      return true
    }
  }

  /// A column that may be empty, and missing from older files: not measured, or not known.
  init<Value: Sendable & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value?> & Sendable,
    orNil format: FieldFormat<Value>, unit: String = "", _ meaning: String, empty: String
  ) {
    self.init(name, path, format.orNil, unit: unit, meaning, empty: empty)
  }

  /// A column that is the same in every row this version writes, and not kept.
  init(_ name: String, constant: Int, _ meaning: String) {
    let format = FieldFormat<Int>.wholeNumber(in: 1...constant)
    self.name = name
    type = "the number \(constant)"
    unit = ""
    self.meaning = meaning
    empty = nil
    isRequired = true
    expected = format.expected
    text = { _ in "\(constant)" }
    isWritable = { _ in true }
    set = { text, _ in format.value(text) != nil }
  }
}

/// The text of values of one type in a CSV field.
struct FieldFormat<Value: Sendable>: Sendable {
  /// What a field that is not empty holds, for the documentation.
  let type: String
  /// What a valid field is, for error messages.
  let expected: String
  /// Whether a file without this column is damaged rather than old.
  let isRequired: Bool
  let text: @Sendable (Value) -> String
  /// `nil` for a text that is not valid.
  let value: @Sendable (String) -> Value?

  /// The same, with an empty field for `nil`: not measured.
  var orNil: FieldFormat<Value?> {
    FieldFormat<Value?>(
      type: type, expected: "\(expected), or nothing", isRequired: false,
      text: { value in value.map(text) ?? "" },
      value: { text in text.isEmpty ? .some(nil) : value(text).map { .some($0) } })
  }
}

extension FieldFormat<String> {
  /// Text that is not empty.
  static let text = FieldFormat(
    type: "text", expected: "a text", isRequired: true, text: { $0 },
    value: { $0.isEmpty ? nil : $0 })
}

extension FieldFormat<Int> {
  static func wholeNumber(in range: ClosedRange<Int>) -> FieldFormat {
    let type =
      range.upperBound == .max
      ? "whole number from \(range.lowerBound)"
      : "whole number from \(range.lowerBound) to \(range.upperBound)"
    return FieldFormat(
      type: type, expected: "a \(type)", isRequired: true, text: { "\($0)" },
      value: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } })
  }

  static let count = wholeNumber(in: 0...Int.max)
  static let positive = wholeNumber(in: 1...Int.max)
  static let percentage = wholeNumber(in: 0...100)
}

extension FieldFormat<UInt64> {
  static let seed = FieldFormat(
    type: "whole number below 2⁵³",
    expected: "a whole number from 0 to \((1 << 53) - 1 as UInt64)", isRequired: true,
    text: { "\($0)" }, value: { text in UInt64(text).flatMap { $0 < 1 << 53 ? $0 : nil } })
}

extension FieldFormat<Double> {
  /// A finite number from 0, written with as few digits as give the same value back.
  static let amount = FieldFormat(
    type: "number from 0", expected: "a number from 0", isRequired: true, text: { "\($0)" },
    value: { text in
      // `Double` also reads "inf", "nan" and hexadecimal, which no other reader of CSV does.
      guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
      return Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    })
}

/// Converts the records of one file to rows, by the names in its header.
struct RowReader<Row: Sendable> {
  private let fieldCount: Int
  /// The known columns of the file with their positions, in the order of the table: `schema`, if
  /// there is one, is checked first.
  private let columns: [(column: Column<Row>, position: Int)]
  private let unread: Row

  /// Rows are read into `unread`, of which no value survives if the required columns are all its
  /// values that are not `nil`.
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
