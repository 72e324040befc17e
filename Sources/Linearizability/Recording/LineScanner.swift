/// Splits a line into tokens and tracks the position of each.
///
/// `JSONDecoder` reports no positions, accepts a duplicated field, and would be this module's only
/// import. This scanner accepts the subset of JSON that a history file uses: no nested objects, no
/// nested lists, and whole numbers without a sign. An event log has the same strings and numbers.
struct LineScanner {
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

  /// The next byte that is neither a space nor a tab. The scanner stops before it.
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

  /// Skips `word` if the rest of the line begins with it; returns whether it did.
  mutating func skip(_ word: String) -> Bool {
    guard next != nil, bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  mutating func expect(_ byte: Unicode.Scalar, _ expected: String) throws(Failure) {
    guard skip(UInt8(ascii: byte)) else { throw failure(expected) }
  }

  mutating func expectEnd() throws(Failure) {
    guard next == nil else { throw failure("the end of the line") }
  }

  mutating func value(orList allowsList: Bool = true) throws(Failure) -> RecordedValue {
    switch next.map(Unicode.Scalar.init) {
    case "\"": return .string(try string())
    case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-": return .number(try number())
    case "[":
      guard allowsList else { throw failure("no list in a list") }
      return try list()
    default: return try constant()
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

  private mutating func constant() throws(Failure) -> RecordedValue {
    if skip("null") { return .null }
    if skip("true") { return .bool(true) }
    if skip("false") { return .bool(false) }
    throw failure("a value")
  }

  /// Reads bytes as long as they satisfy `isPart`; there may be none.
  mutating func word(of isPart: (UInt8) -> Bool) -> String {
    let start = position
    while let byte = current, isPart(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  mutating func number() throws(Failure) -> UInt64 {
    let start = position
    let text = word { "0123456789.eE+-".utf8.contains($0) }
    guard let number = UInt64(text), text == "\(number)" else {
      throw Failure(
        position: start, expected: "a whole number from 0 to \(UInt64.max)",
        found: text.isEmpty ? rest : text)
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
