/// Writes JSON whose names keep their order.
package enum JSONText {
  /// `{"name":value}`, without what is nil; values are JSON already.
  package static func object(_ members: KeyValuePairs<String, String?>) -> String {
    let present = members.compactMap { name, value in value.map { "\(text(name)):\($0)" } }
    return "{\(present.joined(separator: ","))}"
  }

  package static func list(_ values: some Sequence<String>) -> String {
    "[\(values.joined(separator: ","))]"
  }

  /// What a clock can have counted: what is read as a duration. Beyond it would be none.
  package static let durations = 0...1e9

  package static func seconds(_ duration: Duration) -> String {
    "\(min(max(duration / .seconds(1), durations.lowerBound), durations.upperBound))"
  }

  /// The largest whole number that is exact whatever reads it.
  private static let largest = 1 << 53

  /// Those that are larger, such as a limit of `Int.max`, become the largest.
  package static func integer(_ number: Int) -> String { "\(min(max(number, -largest), largest))" }

  /// From 0.
  package static func count(_ number: Int) -> String { integer(max(number, 0)) }

  package static func exact(_ number: Double) -> Int? {
    Int(exactly: number).flatMap { -largest...largest ~= $0 ? $0 : nil }
  }

  /// In quotation marks, on one line whatever it holds.
  package static func text(_ text: String) -> String {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\t": escaped += "\\t"
      // Line ends to some programs, though not to JSON.
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }
}

/// A value of JSON that knows where it stands, so that an error can say it.
struct JSONNode {
  enum Content {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSONNode])
    /// In the order of the text.
    case object([(name: String, nameOffset: Int, value: JSONNode)])
  }

  let content: Content
  /// Of its first byte.
  let offset: Int
}

/// Why text is not what it should be, and the byte where that shows.
struct JSONError: Error {
  let offset: Int
  let expected: String

  /// With a place for people; `text` is line number `firstLine` of the file, and what follows.
  func located(in text: some Collection<UInt8>, of file: String, firstLine: Int) -> LeakFileError {
    let before = text.prefix(offset)
    let newline = UInt8(ascii: "\n")
    let lineStart = before.reversed().prefix { $0 != newline }
    return .malformed(
      file: file, line: firstLine + before.count { $0 == newline },
      // Bytes that continue a scalar do not count.
      column: 1 + lineStart.count { $0 & 0xC0 != 0x80 }, expected: expected)
  }
}

/// The members of an object by name, each of the type that is asked for.
struct JSONFields {
  private let members: [(name: String, nameOffset: Int, value: JSONNode)]
  private let offset: Int

  init(_ node: JSONNode, _ what: String) throws(JSONError) {
    guard case .object(let members) = node.content else {
      throw JSONError(offset: node.offset, expected: "an object, \(what)")
    }
    self.members = members
    offset = node.offset
  }

  /// A name that is not known is a slip, and what it says must not be lost in silence.
  func refuseNames(otherThan known: [String]) throws(JSONError) {
    guard let other = members.first(where: { !known.contains($0.name) }) else { return }
    throw JSONError(
      offset: other.nameOffset, expected: "one of the names \(known.joined(separator: ", "))")
  }

  /// Nil if it is missing or null.
  func node(_ name: String) -> JSONNode? {
    guard let node = members.first(where: { $0.name == name })?.value else { return nil }
    if case .null = node.content { return nil }
    return node
  }

  func needed<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
    guard let value else { throw JSONError(offset: offset, expected: "'\(name)' in the object") }
    return value
  }

  /// Whether it is of the version that the reader knows.
  func require(schema known: Int) throws(JSONError) {
    let schema = try needed(count("schema"), "schema")
    guard schema == known else {
      throw JSONError(
        offset: node("schema")!.offset, expected: "schema \(known), not \(schema)")
    }
  }

  func text(_ name: String) throws(JSONError) -> String? {
    guard let node = node(name) else { return nil }
    guard case .text(let text) = node.content else {
      throw JSONError(offset: node.offset, expected: "a text for '\(name)'")
    }
    return text
  }

  func number(_ name: String) throws(JSONError) -> Double? {
    guard let node = node(name) else { return nil }
    guard case .number(let number) = node.content else {
      throw JSONError(offset: node.offset, expected: "a number for '\(name)'")
    }
    return number
  }

  /// From 0, and exact as a number of JSON can be.
  func count(_ name: String) throws(JSONError) -> Int? {
    guard let node = node(name) else { return nil }
    return try Self.count(node, name)
  }

  /// Of either sign, and exact.
  func integer(_ name: String) throws(JSONError) -> Int? {
    guard let node = node(name) else { return nil }
    guard case .number(let number) = node.content, let integer = JSONText.exact(number) else {
      throw JSONError(offset: node.offset, expected: "a whole number for '\(name)'")
    }
    return integer
  }

  func flag(_ name: String) throws(JSONError) -> Bool? {
    guard let node = node(name) else { return nil }
    guard case .bool(let flag) = node.content else {
      throw JSONError(offset: node.offset, expected: "true or false for '\(name)'")
    }
    return flag
  }

  func list(_ name: String) throws(JSONError) -> [JSONNode]? {
    guard let node = node(name) else { return nil }
    guard case .list(let list) = node.content else {
      throw JSONError(offset: node.offset, expected: "a list for '\(name)'")
    }
    return list
  }

  func counts(_ name: String) throws(JSONError) -> [Int]? {
    guard let list = try list(name) else { return nil }
    var counts: [Int] = []
    for node in list { counts.append(try Self.count(node, name)) }
    return counts
  }

  /// One of the names of `Value`.
  func name<Value: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Value.Type
  ) throws(JSONError) -> Value? {
    guard let text = try text(name) else { return nil }
    if let value = Value(rawValue: text) { return value }
    let allowed = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw JSONError(offset: node(name)!.offset, expected: "one of \(allowed) for '\(name)'")
  }

  private static func count(_ node: JSONNode, _ name: String) throws(JSONError) -> Int {
    guard case .number(let number) = node.content, let count = JSONText.exact(number), count >= 0
    else {
      throw JSONError(offset: node.offset, expected: "a whole number from 0 for '\(name)'")
    }
    return count
  }
}

/// Reads JSON as RFC 8259 has it. Foundation's readers do not say where a value stands; the scanner of
/// `Linearizability`, which is not to be imported here, knows flat lines of whole numbers alone.
struct JSONParser {
  /// More would be a mistake, or an attempt on the stack.
  private static let deepest = 64

  private let bytes: [UInt8]
  private var offset = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The value that `bytes` are, with nothing around it but space.
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
        throw JSONError(offset: start, expected: "the name '\(name)' once")
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

  /// What stands between brackets, with commas between.
  private mutating func sequence(
    until end: Unicode.Scalar, _ element: (inout JSONParser) throws(JSONError) -> Void
  ) throws(JSONError) {
    guard depth < Self.deepest else { throw error("no more than \(Self.deepest) levels") }
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
    // Narrower than `Double`, which takes "+1", ".5", "0x1p3" and "nan" too.
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let hasNeedlessZero = digits.hasPrefix("0") && digits.dropFirst().first?.isWholeNumber == true
    guard digits.first?.isWholeNumber == true, !hasNeedlessZero, !text.contains(".e"),
      !text.contains(".E"), !text.hasSuffix("."), let number = Double(text), number.isFinite
    else {
      throw JSONError(offset: start, expected: "a value")
    }
    return number
  }
}

extension JSONParser {
  private mutating func text() throws(JSONError) -> String {
    let start = offset
    offset += 1
    var units: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw error("no control character in a text") }
      offset += 1
      if byte == UInt8(ascii: "\\") {
        units += Array(String(try escaped()).utf8)
      } else {
        units.append(byte)
      }
    }
    guard next != nil else { throw error("a quotation mark that ends the text") }
    offset += 1
    guard let text = String(validating: units, as: UTF8.self) else {
      throw JSONError(offset: start, expected: "a text in UTF-8")
    }
    return text
  }

  /// What stands behind a backslash.
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
    // Two of them, for what lies beyond 16 bits.
    guard first < 0xDC00, bytes[offset...].starts(with: "\\u".utf8) else {
      throw JSONError(offset: start, expected: "a pair of surrogates")
    }
    offset += 2
    let second = try hexadecimal()
    guard 0xDC00...0xDFFF ~= second,
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else {
      throw JSONError(offset: start, expected: "a pair of surrogates")
    }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    let digits = bytes[offset...].prefix(4)
    let text = String(decoding: digits, as: UTF8.self)
    // Narrower than `UInt32`, which takes a sign too.
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
