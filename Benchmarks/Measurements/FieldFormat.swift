/// How values of one type are written in a CSV field, and which texts are valid.
struct FieldFormat<Value: Sendable>: Sendable {
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
      expected: "\(expected), or nothing", isRequired: false,
      text: { value in value.map(text) ?? "" },
      value: { text in text.isEmpty ? .some(nil) : value(text).map { .some($0) } })
  }
}

extension FieldFormat<String> {
  /// Text that is not empty.
  static let text = FieldFormat(
    expected: "a text", isRequired: true, text: { $0 }, value: { $0.isEmpty ? nil : $0 })
}

extension FieldFormat<Int> {
  static func wholeNumber(in range: ClosedRange<Int>) -> FieldFormat {
    let expected =
      range.upperBound == .max
      ? "a whole number from \(range.lowerBound)"
      : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return FieldFormat(
      expected: expected, isRequired: true, text: { "\($0)" },
      value: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } })
  }

  static let count = wholeNumber(in: 0...Int.max)
  static let positive = wholeNumber(in: 1...Int.max)
  static let percentage = wholeNumber(in: 0...100)
}

extension FieldFormat<UInt64> {
  static let seed = FieldFormat(
    expected: "a whole number from 0 to \((1 << 53) - 1 as UInt64)", isRequired: true,
    text: { "\($0)" }, value: { text in UInt64(text).flatMap { $0 < 1 << 53 ? $0 : nil } })
}

extension FieldFormat<Double> {
  /// A finite number from 0, written with as few digits as give the same value back.
  static let amount = FieldFormat(
    expected: "a number from 0", isRequired: true, text: { "\($0)" },
    value: { text in
      // `Double` also reads "inf", "nan" and hexadecimal, which no other reader of CSV does.
      guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
      return Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    })
}

extension FieldFormat<Measurement.Kind> {
  static let kind = FieldFormat(
    expected: "one of \(Measurement.Kind.allCases.map(\.rawValue).joined(separator: ", "))",
    isRequired: true, text: \.rawValue, value: Measurement.Kind.init(rawValue:))
}

extension FieldFormat<Measurement.Mode> {
  /// Nothing is closed: older files know no other.
  static let mode = FieldFormat(
    expected: "one of \(Measurement.Mode.allCases.map(\.rawValue).joined(separator: ", "))",
    isRequired: false, text: \.rawValue,
    value: { $0.isEmpty ? .closed : Measurement.Mode(rawValue: $0) })
}
