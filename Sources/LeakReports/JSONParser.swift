/// Parses JSON as RFC 8259 defines it.
///
/// For a value of the wrong type or out of range, the errors of `JSONDecoder` name a coding path.
/// The errors of report files must name a line and a column, hence this parser.
struct JSONParser {
  /// The maximum depth of nesting, which bounds the recursion of the parser. Reports are less
  /// deeply nested.
  private static let deepest = 64

  private let bytes: [UInt8]
  private var offset = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Parses `bytes` and converts them with `body`; errors name the place in `file`, where `bytes`
  /// start at `firstLine`.
  static func read<Record>(
    _ bytes: [UInt8], of file: String, firstLine: Int,
    _ body: (JSONNode) throws(JSONError) -> Record
  ) throws(LeakFileError) -> Record {
    do throws(JSONError) {
      return try body(try parse(bytes))
    } catch {
      throw error.located(in: bytes, of: file, firstLine: firstLine)
    }
  }

  /// Parses `bytes`, which hold one value and white space around it.
  static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONNode {
    var parser = JSONParser(bytes)
    let node = try parser.value()
    parser.skipSpace()
    guard parser.next == nil else { throw parser.error("the end of the JSON") }
    return node
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func error(_ expected: String) -> JSONError {
    JSONError(offset: offset, expected: expected)
  }

  private mutating func skipSpace() {
    while let byte = next, " \t\r\n".utf8.contains(byte) { offset += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func value() throws(JSONError) -> JSONNode {
    skipSpace()
    let start = offset
    let content: JSONNode.Content
    switch next.map(Unicode.Scalar.init) {
    case "{": content = .object(try members())
    case "[": content = .list(try elements())
    case "\"": content = .text(try text())
    case "t": content = try word("true", .bool(true))
    case "f": content = try word("false", .bool(false))
    case "n": content = try word("null", .null)
    default: content = .number(try number())
    }
    return JSONNode(content: content, offset: start)
  }

  private mutating func word(
    _ word: String, _ content: JSONNode.Content
  ) throws(JSONError) -> JSONNode.Content {
    guard bytes[offset...].starts(with: word.utf8) else { throw error("a value") }
    offset += word.utf8.count
    return content
  }

  private mutating func members() throws(JSONError) -> [(
    name: String, nameOffset: Int, value: JSONNode
  )] {
    var members: [(name: String, nameOffset: Int, value: JSONNode)] = []
    try sequence(until: "}") { parser throws(JSONError) in
      parser.skipSpace()
      let start = parser.offset
      guard parser.next == UInt8(ascii: "\"") else {
        throw parser.error("a name in quotation marks")
      }
      let name = try parser.text()
      guard !members.contains(where: { $0.name == name }) else {
        throw JSONError(offset: start, expected: "the name '\(name)' only once")
      }
      guard parser.take(":") else { throw parser.error("':' after a name") }
      members.append((name, start, try parser.value()))
    }
    return members
  }

  private mutating func elements() throws(JSONError) -> [JSONNode] {
    var elements: [JSONNode] = []
    try sequence(until: "]") { parser throws(JSONError) in elements.append(try parser.value()) }
    return elements
  }

  /// Parses elements that commas separate, between brackets.
  private mutating func sequence(
    until end: Unicode.Scalar, _ element: (inout JSONParser) throws(JSONError) -> Void
  ) throws(JSONError) {
    guard depth < Self.deepest else { throw error("at most \(Self.deepest) levels of nesting") }
    depth += 1
    defer { depth -= 1 }
    offset += 1
    if take(end) { return }
    repeat { try element(&self) } while take(",")
    guard take(end) else { throw error("',' or '\(end)'") }
  }

  private mutating func number() throws(JSONError) -> Double {
    let start = offset
    while let byte = next, byte.isPartOfNumber { offset += 1 }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    // Stricter than `Double`, which accepts "+1", ".5", "0x1p3" and "nan".
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let hasNeedlessZero = digits.hasPrefix("0") && digits.dropFirst().first?.isWholeNumber == true
    guard digits.first?.isWholeNumber == true, !hasNeedlessZero, !text.contains(".e"),
      !text.contains(".E"), !text.hasSuffix("."), let number = Double(text), number.isFinite
    else {
      throw JSONError(offset: start, expected: "a value")
    }
    return number
  }

  private mutating func text() throws(JSONError) -> String {
    let start = offset
    offset += 1
    var units: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw error("no control character; escape it, such as \\n") }
      offset += 1
      if byte == UInt8(ascii: "\\") {
        units += Array(String(try escaped()).utf8)
      } else {
        units.append(byte)
      }
    }
    guard next != nil else { throw error("a quotation mark that ends the string") }
    offset += 1
    guard let text = String(validating: units, as: UTF8.self) else {
      throw JSONError(offset: start, expected: "a string in UTF-8")
    }
    return text
  }

  /// Parses the rest of an escape sequence, after its backslash.
  private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
    guard let byte = next else { throw error("a character after '\\'") }
    offset += 1
    switch Unicode.Scalar(byte) {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "u": return try unicodeEscape()
    case "\"", "\\", "/": return Unicode.Scalar(byte)
    default:
      offset -= 1
      throw error("one of \" \\ / b f n r t u after '\\'")
    }
  }

  private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
    let start = offset - 2
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // UTF-16 writes a scalar beyond 16 bits as a pair of surrogates.
    guard first < 0xDC00, bytes[offset...].starts(with: "\\u".utf8) else {
      throw JSONError(offset: start, expected: "a pair of surrogates, such as \\uD83D\\uDE00")
    }
    offset += 2
    let second = try hexadecimal()
    guard 0xDC00...0xDFFF ~= second,
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else {
      throw JSONError(offset: start, expected: "a pair of surrogates, such as \\uD83D\\uDE00")
    }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    let digits = bytes[offset...].prefix(4)
    let text = String(decoding: digits, as: UTF8.self)
    // Stricter than `UInt32`, which accepts a sign.
    guard digits.count == 4, text.allSatisfy(\.isHexDigit), let number = UInt32(text, radix: 16)
    else {
      throw error("four hexadecimal digits")
    }
    offset += 4
    return number
  }
}

extension UInt8 {
  fileprivate var isPartOfNumber: Bool {
    "0123456789+-.eE".utf8.contains(self)
  }
}
