/// Reads one line of a history file and checks that it has each field once, with the right type.
struct RecordScanner {
  typealias Field = RecordedOperation.Field

  private var scanner: JSONScanner
  private let start: Int
  private var values: [Field: RecordedValue] = [:]
  private var positions: [Field: Int] = [:]

  init(_ line: ArraySlice<UInt8>) {
    scanner = JSONScanner(line)
    start = line.startIndex
  }

  /// The position of a field's value, or of the line if the field is absent.
  func position(of field: Field) -> Int { positions[field] ?? start }

  mutating func record() throws(JSONScanner.Failure) -> RecordedOperation {
    try readFields()
    for field in Field.allCases where field != .key && values[field] == nil {
      throw JSONScanner.Failure(
        position: start, expected: "the field '\(field.rawValue)'", found: "none")
    }
    guard let worker = values[.worker]?.asNumber, worker <= UInt64(Int32.max) else {
      throw failure(.worker, "a whole number from 0 to \(Int32.max)")
    }
    guard let call = values[.call]?.asNumber else { throw failure(.call, "a whole number") }
    let end = try optional(.return, "a whole number", \.asNumber)
    if let end, end < call { throw failure(.return, "a stamp of at least \(call), the call") }
    guard let operation = values[.operation]?.asString else {
      throw failure(.operation, "a string")
    }
    let key = try optional(.key, "a string", \.asString)
    guard let arguments = values[.arguments]?.asList else { throw failure(.arguments, "a list") }
    let result = values[.result] ?? .null
    if end == nil, result != .null {
      throw failure(.result, "null, as for every operation that never returned")
    }
    return RecordedOperation(
      worker: Int(worker), call: call, return: end, operation: operation, key: key,
      arguments: arguments, result: result)
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

  private mutating func field() throws(JSONScanner.Failure) -> Field {
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

  /// Returns a field's value of one kind, or `nil` if it is null or absent.
  private func optional<T>(
    _ field: Field, _ kind: String, _ convert: (RecordedValue) -> T?
  ) throws(JSONScanner.Failure) -> T? {
    guard let value = values[field], value != .null else { return nil }
    guard let converted = convert(value) else { throw failure(field, "\(kind) or null") }
    return converted
  }

  private func failure(
    _ field: Field, _ expected: String
  ) -> JSONScanner.Failure {
    JSONScanner.Failure(
      position: position(of: field), expected: expected,
      found: values[field]?.description ?? "nothing")
  }
}

/// Splits a line of JSON into tokens and tracks the position of each.
///
/// `JSONDecoder` reports no positions, accepts a duplicated field, and would be this module's only
/// import. This scanner accepts the subset of JSON that a history file uses: no nested objects, no
/// nested lists, and whole numbers without a sign.
struct JSONScanner {
  /// A syntax error: its position in the line, the expected text and the text found.
  struct Failure: Error {
    var position: Int
    var expected: String
    var found: String
  }

  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ line: ArraySlice<UInt8>) {
    bytes = line
    position = line.startIndex
  }

  /// The next byte that is not a space. The scanner stops before it.
  var next: UInt8? {
    mutating get {
      while let byte = current, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
        position += 1
      }
      return current
    }
  }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  mutating func expect(_ byte: Unicode.Scalar, _ expected: String) throws(Failure) {
    guard skip(UInt8(ascii: byte)) else { throw failure(expected) }
  }

  mutating func value(orList allowsList: Bool = true) throws(Failure) -> RecordedValue {
    switch next.map(Unicode.Scalar.init) {
    case "\"": return .string(try string())
    case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-": return .number(try number())
    case "[":
      guard allowsList else { throw failure("no list in a list") }
      return try list()
    default: return try word()
    }
  }

  private mutating func list() throws(Failure) -> RecordedValue {
    try expect("[", "a list")
    var values: [RecordedValue] = []
    if skip(UInt8(ascii: "]")) { return .list(values) }
    repeat {
      values.append(try value(orList: false))
    } while skip(UInt8(ascii: ","))
    try expect("]", "',' or ']'")
    return .list(values)
  }

  private mutating func word() throws(Failure) -> RecordedValue {
    let words: [(String, RecordedValue)] = [
      ("null", .null), ("true", .bool(true)), ("false", .bool(false)),
    ]
    let rest = bytes[position...]
    guard let (text, value) = words.first(where: { rest.starts(with: $0.0.utf8) }) else {
      throw failure("a value")
    }
    position += text.utf8.count
    return value
  }

  private mutating func number() throws(Failure) -> UInt64 {
    let start = position
    while let byte = current, "0123456789.eE+-".utf8.contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let number = UInt64(text), text == "\(number)" else {
      throw Failure(
        position: start, expected: "a whole number from 0 to \(UInt64.max)", found: text)
    }
    return number
  }

  mutating func string() throws(Failure) -> String {
    let start = position
    position += 1
    var content: [UInt8] = []
    while let byte = current, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw failure("no control character in a string") }
      position += 1
      if byte == UInt8(ascii: "\\") {
        content += String(try escape()).utf8
      } else {
        content.append(byte)
      }
    }
    guard current != nil else { throw failure("'\"' at the end of a string") }
    position += 1
    guard let string = String(validating: content, as: UTF8.self) else {
      throw Failure(position: start, expected: "text in UTF-8", found: "other bytes")
    }
    return string
  }

  /// Reads an escape sequence after its backslash.
  private mutating func escape() throws(Failure) -> Unicode.Scalar {
    let plain: [UInt8: Unicode.Scalar] = [
      UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
      UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n",
      UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
    let start = position - 1
    guard let byte = current else { throw failure("an escape") }
    if let scalar = plain[byte] {
      position += 1
      return scalar
    }
    guard byte == UInt8(ascii: "u") else { throw failure("one of \"\\/bfnrtu") }
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let expected = "a pair of surrogates"
    guard unit < 0xDC00, current == UInt8(ascii: "\\"), position + 1 < bytes.endIndex,
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw Failure(position: start, expected: expected, found: "a single one") }
    position += 1
    let second = try codeUnit()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(
        0x1_0000 + (UInt32(unit) - 0xD800) << 10 + UInt32(second) - 0xDC00)
    else { throw Failure(position: start, expected: expected, found: "others") }
    return scalar
  }

  /// Reads the `u` and the four digits of an escape sequence.
  private mutating func codeUnit() throws(Failure) -> UInt16 {
    let digits = bytes[min(position + 1, bytes.endIndex)...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw failure("four hexadecimal digits") }
    position += 5
    return unit
  }

  func failure(_ expected: String) -> Failure {
    Failure(position: position, expected: expected, found: rest)
  }

  private var rest: String {
    guard current != nil else { return "the end of the line" }
    let text = String(decoding: bytes[position...].prefix(24), as: UTF8.self)
    return "'\(text)'"
  }

  private var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }
}
