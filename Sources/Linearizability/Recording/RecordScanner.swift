/// Reads one line of a history file: each field once, and of its kind.
struct RecordScanner {
  private typealias Field = RecordedOperation.Field

  private var scanner: JSONScanner
  private let start: Int
  private var values: [RecordedOperation.Field: RecordedValue] = [:]
  private var positions: [RecordedOperation.Field: Int] = [:]

  init(_ line: ArraySlice<UInt8>) {
    scanner = JSONScanner(line)
    start = line.startIndex
  }

  /// Where a field's value begins; for a field that is left out, where the line does.
  func position(of field: RecordedOperation.Field) -> Int { positions[field] ?? start }

  mutating func record() throws(JSONScanner.Failure) -> RecordedOperation {
    try readFields()
    for field in Field.allCases where field != .key && values[field] == nil {
      throw JSONScanner.Failure(
        position: start, expected: "the field '\(field.rawValue)'", found: "none")
    }
    let record = RecordedOperation(
      worker: try worker(), call: try call(), return: try optionalNumber(.return),
      operation: try operation(), key: try key(), arguments: try arguments(),
      result: values[.result] ?? .null)
    try checkEnd(of: record)
    return record
  }

  private mutating func readFields() throws(JSONScanner.Failure) {
    try scanner.expect("{", "'{'")
    repeat {
      let field = try field()
      try scanner.expect(":", "':'")
      _ = scanner.next
      positions[field] = scanner.position
      values[field] = try scanner.value()
    } while scanner.skip(UInt8(ascii: ","))
    try scanner.expect("}", "',' or '}'")
    guard scanner.next == nil else { throw scanner.failure("the end of the line") }
  }

  private mutating func field() throws(JSONScanner.Failure) -> RecordedOperation.Field {
    guard scanner.next == UInt8(ascii: "\"") else {
      throw scanner.failure("the name of a field")
    }
    let position = scanner.position
    let name = try scanner.string()
    guard let field = Field(rawValue: name) else {
      let names = Field.allCases.map(\.rawValue).joined(separator: ", ")
      throw JSONScanner.Failure(
        position: position, expected: "one of \(names)", found: name.jsonQuoted)
    }
    guard values[field] == nil else {
      throw JSONScanner.Failure(
        position: position, expected: "each field once", found: "a second '\(name)'")
    }
    return field
  }

  private func checkEnd(of record: RecordedOperation) throws(JSONScanner.Failure) {
    if let end = record.return, end < record.call {
      throw failure(.return, "a stamp from \(record.call), the call's, on")
    }
    if record.return == nil, record.result != .null {
      throw failure(.result, "null, as for every operation that never returned")
    }
  }

  private func worker() throws(JSONScanner.Failure) -> Int {
    guard case .number(let number) = values[.worker], number <= UInt64(Int32.max) else {
      throw failure(.worker, "a whole number from 0 to \(Int32.max)")
    }
    return Int(number)
  }

  private func call() throws(JSONScanner.Failure) -> UInt64 {
    guard let number = try optionalNumber(.call) else { throw failure(.call, "a whole number") }
    return number
  }

  private func optionalNumber(
    _ field: RecordedOperation.Field
  ) throws(JSONScanner.Failure) -> UInt64? {
    switch values[field] {
    case .number(let number): return number
    case .null: return nil
    default: throw failure(field, "a whole number or null")
    }
  }

  private func operation() throws(JSONScanner.Failure) -> String {
    guard case .string(let name) = values[.operation] else {
      throw failure(.operation, "a string")
    }
    return name
  }

  private func key() throws(JSONScanner.Failure) -> String? {
    switch values[.key] {
    case .string(let key): return key
    case .null, nil: return nil
    default: throw failure(.key, "a string or null")
    }
  }

  private func arguments() throws(JSONScanner.Failure) -> [RecordedValue] {
    guard case .list(let arguments) = values[.arguments] else {
      throw failure(.arguments, "a list")
    }
    return arguments
  }

  private func failure(
    _ field: RecordedOperation.Field, _ expected: String
  ) -> JSONScanner.Failure {
    JSONScanner.Failure(
      position: position(of: field), expected: expected,
      found: values[field]?.description ?? "nothing")
  }
}
