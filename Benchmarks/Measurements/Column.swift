/// One column of a CSV: its name, and how to get its text from what a row stands for and back.
struct Column<Row: Sendable>: Sendable {
  let name: String
  let isRequired: Bool
  let expected: String
  let text: @Sendable (Row) -> String
  /// Whether reading the text would give the measurement's value back, as what it is.
  let isWritable: @Sendable (Row) -> Bool
  /// Stores the value of a field; `false`, storing nothing, if the text is not valid.
  let set: @Sendable (_ text: String, inout Row) -> Bool

  init<Value: Sendable & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable,
    _ format: FieldFormat<Value>
  ) {
    self.name = name
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
    orNil format: FieldFormat<Value>
  ) {
    self.init(name, path, format.orNil)
  }

  /// A column that is the same in every row this version writes, and not kept.
  init(_ name: String, constant: Int) {
    let format = FieldFormat<Int>.wholeNumber(in: 1...constant)
    self.name = name
    isRequired = true
    expected = format.expected
    text = { _ in "\(constant)" }
    isWritable = { _ in true }
    set = { text, _ in format.value(text) != nil }
  }
}
