/// One column of a CSV file: its name, its documentation, and the conversion between a row's value
/// and its text.
///
/// `docs/csv.md` is generated from the documentation.
struct Column<Row: Sendable>: Sendable {
  let name: String
  /// The valid contents of a field that is not empty, such as `whole number from 1`.
  let type: String
  /// The unit of the numbers; empty for a text and for a plain number.
  let unit: String
  /// The meaning of the values, in one or a few sentences.
  let meaning: String
  /// The condition under which a field is empty, such as `in a closed loop`; `nil` if no field is
  /// ever empty.
  let empty: String?
  /// A file has the column only if it has all of these parts.
  var parts: Set<MeasurementCSV.Part> = []
  let isRequired: Bool
  let expected: String
  let text: @Sendable (Row) -> String
  /// Whether the row's value survives writing and reading: the text parses to an equal value, and
  /// no spreadsheet would turn a text into a number.
  let isWritable: @Sendable (Row) -> Bool
  /// Stores the value of a field in the row. If the text is invalid, returns `false` and stores
  /// nothing.
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
      // A spreadsheet would turn a text such as "6.3" into a number.
      return format.value(text) == value && !(holdsText && Double(text) != nil)
    }
    set = { text, row in
      guard let value = format.value(text) else { return false }
      row[keyPath: path] = value
      return true
    }
  }

  /// Creates a column that older files may lack, and whose fields may be empty: the value was not
  /// measured, or is not known.
  init<Value: Sendable & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value?> & Sendable,
    orNil format: FieldFormat<Value>, unit: String = "", _ meaning: String, empty: String
  ) {
    self.init(name, path, format.orNil, unit: unit, meaning, empty: empty)
  }

  /// Creates a column with the same value in every row that this version writes. Rows do not store
  /// the value.
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

extension Array {
  /// Returns the columns, changed so that a file has them only if it has all of `parts`.
  func of<Row>(_ parts: MeasurementCSV.Part...) -> Self where Element == Column<Row> {
    map { column in
      var column = column
      column.parts = Set(parts)
      return column
    }
  }
}

/// The conversion between the values of one type and the texts of CSV fields.
struct FieldFormat<Value: Sendable>: Sendable {
  /// The valid contents of a field that is not empty, for the documentation.
  let type: String
  /// The valid contents of a field, for error messages.
  let expected: String
  /// Whether a file without the column is damaged. If not, the file may be older than the column.
  let isRequired: Bool
  let text: @Sendable (Value) -> String
  /// Returns the value of a text, or `nil` if the text is invalid.
  let value: @Sendable (String) -> Value?

  /// The format of an optional value: `nil`, which means not measured, is an empty field.
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
  /// A finite number from 0, written with the fewest digits that parse to the same value.
  static let amount = FieldFormat(
    type: "number from 0", expected: "a number from 0", isRequired: true, text: { "\($0)" },
    value: { text in
      // Unlike other readers of CSV, `Double` also parses "inf", "nan" and hexadecimal numbers.
      guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
      return Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    })
}
