/// A field of a line that does not fit the model.
public struct FieldMismatch: Error, Equatable {
  public var field: RecordedOperation.Field
  public var expected: String
  public var found: String

  public init(_ field: RecordedOperation.Field, expected: String, found: String) {
    self.field = field
    self.expected = expected
    self.found = found
  }
}

extension RecordedOperation {
  /// The argument at `index`, which must be a string.
  func string(_ index: Int) throws(FieldMismatch) -> String {
    guard let value = try optionalString(index) else {
      throw FieldMismatch(.arguments, expected: "a string", found: "null")
    }
    return value
  }

  /// The argument at `index`, which must be a string or null.
  func optionalString(_ index: Int) throws(FieldMismatch) -> String? {
    switch arguments[index] {
    case .null: return nil
    case .string(let value): return value
    case let other:
      throw FieldMismatch(.arguments, expected: "a string", found: other.description)
    }
  }

  func nullResult() throws(FieldMismatch) {
    guard result == .null else { throw mismatch("null") }
  }

  func optionalStringResult() throws(FieldMismatch) -> String? {
    switch result {
    case .null: return nil
    case .string(let value): return value
    default: throw mismatch("a string or null")
    }
  }

  func boolResult() throws(FieldMismatch) -> Bool {
    guard case .bool(let value) = result else { throw mismatch("true or false") }
    return value
  }

  func countResult() throws(FieldMismatch) -> Int {
    guard case .number(let value) = result, let count = Int(exactly: value) else {
      throw mismatch("a whole number")
    }
    return count
  }

  func stringsResult() throws(FieldMismatch) -> [String] {
    guard case .list(let values) = result else { throw mismatch("a list of strings") }
    var strings: [String] = []
    for value in values {
      guard case .string(let string) = value else { throw mismatch("a list of strings") }
      strings.append(string)
    }
    return strings
  }

  private func mismatch(_ expected: String) -> FieldMismatch {
    FieldMismatch(.result, expected: expected, found: result.description)
  }
}
