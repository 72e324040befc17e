/// One column of the CSV: its name, and how to get its text from a measurement and back.
struct Column: Sendable {
  let name: String
  let isRequired: Bool
  let expected: String
  let text: @Sendable (Measurement) -> String
  /// Whether reading the text would give the measurement's value back, as what it is.
  let isWritable: @Sendable (Measurement) -> Bool
  /// Stores the value of a field; `false`, storing nothing, if the text is not valid.
  let set: @Sendable (_ text: String, inout Measurement) -> Bool

  init<Value: Sendable & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Measurement, Value> & Sendable,
    _ format: FieldFormat<Value>
  ) {
    self.name = name
    isRequired = format.isRequired
    expected = format.expected
    text = { measurement in format.text(measurement[keyPath: path]) }
    let holdsText = Value.self == String.self || Value.self == String?.self
    isWritable = { measurement in
      let value = measurement[keyPath: path]
      let text = format.text(value)
      // A spreadsheet would make a number of a text such as "6.3".
      return format.value(text) == value && !(holdsText && Double(text) != nil)
    }
    set = { text, measurement in
      guard let value = format.value(text) else { return false }
      measurement[keyPath: path] = value
      return true
    }
  }

  /// A column that may be empty, and missing from older files: not measured, or not known.
  init<Value: Sendable & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Measurement, Value?> & Sendable,
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
