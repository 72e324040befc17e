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
  /// The parts without which a file does not have the column.
  var parts: Set<MeasurementCSV.Part> = []
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

extension Array {
  /// Returns the columns as ones that a file has only with all of the parts.
  func of<Row>(_ parts: MeasurementCSV.Part...) -> Self where Element == Column<Row> {
    map { column in
      var column = column
      column.parts = Set(parts)
      return column
    }
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
