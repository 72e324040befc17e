/// Functions that write JSON, with the members of objects in the given order.
package enum JSONText {
  /// Returns `{"name":value}` without the nil values; the values are JSON text.
  package static func object(_ members: KeyValuePairs<String, String?>) -> String {
    let present = members.compactMap { name, value in value.map { "\(text(name)):\($0)" } }
    return "{\(present.joined(separator: ","))}"
  }

  package static func list(_ values: some Sequence<String>) -> String {
    "[\(values.joined(separator: ","))]"
  }

  /// The range of durations in seconds: `seconds` clamps to it, and the reader rejects values
  /// outside it.
  package static let durations = 0...1e9

  package static func seconds(_ duration: Duration) -> String {
    "\(min(max(duration / .seconds(1), durations.lowerBound), durations.upperBound))"
  }

  /// The largest whole number that every JSON reader represents exactly.
  private static let largest = 1 << 53

  /// Returns `number`, clamped to what every JSON reader represents exactly.
  package static func integer(_ number: Int) -> String { "\(min(max(number, -largest), largest))" }

  /// Returns `number`, clamped to 0 and above.
  package static func count(_ number: Int) -> String { integer(max(number, 0)) }

  /// Returns `number` as an integer; nil if it has a fraction or is beyond what every JSON reader
  /// represents exactly.
  package static func exact(_ number: Double) -> Int? {
    Int(exactly: number).flatMap { -largest...largest ~= $0 ? $0 : nil }
  }

  /// Returns `text` as a JSON string literal without line ends.
  package static func text(_ text: String) -> String {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\t": escaped += "\\t"
      // JSON requires an escape only for the first range. Some programs treat some of the others as
      // line ends.
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }
}

// MARK: - Reading

/// A JSON value and its place in the text, which errors report.
struct JSONNode {
  enum Content {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSONNode])
    /// The members in the order of the text.
    case object([(name: String, nameOffset: Int, value: JSONNode)])
  }

  let content: Content
  /// The offset of the first byte.
  let offset: Int
}

/// A value that the format does not allow: the offset of its first byte, and what the format
/// requires there.
struct JSONError: Error {
  let offset: Int
  let expected: String

  /// Returns the error with a line and a column; `text` starts at line `firstLine` of `file`.
  func located(in text: some Collection<UInt8>, of file: String, firstLine: Int) -> LeakFileError {
    let before = text.prefix(offset)
    let newline = UInt8(ascii: "\n")
    let lineStart = before.reversed().prefix { $0 != newline }
    return .malformed(
      file: file, line: firstLine + before.count { $0 == newline },
      // Columns count scalars, so continuation bytes do not count.
      column: 1 + lineStart.count { $0 & 0xC0 != 0x80 }, expected: expected)
  }
}

/// The members of a JSON object, by name and type.
struct JSONFields {
  private let members: [(name: String, nameOffset: Int, value: JSONNode)]
  private let offset: Int

  init(_ node: JSONNode, _ what: String) throws(JSONError) {
    guard case .object(let members) = node.content else {
      throw JSONError(offset: node.offset, expected: "an object: \(what)")
    }
    self.members = members
    offset = node.offset
  }

  /// Throws if the object has a name that is not in `known`, because a misspelled name must not be
  /// ignored.
  func refuseNames(otherThan known: [String]) throws(JSONError) {
    guard let other = members.first(where: { !known.contains($0.name) }) else { return }
    throw JSONError(
      offset: other.nameOffset, expected: "one of the names \(known.joined(separator: ", "))")
  }

  /// Returns the value of `name`; nil if it is missing or null.
  func node(_ name: String) -> JSONNode? {
    guard let node = members.first(where: { $0.name == name })?.value else { return nil }
    if case .null = node.content { return nil }
    return node
  }

  func needed<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
    guard let value else { throw JSONError(offset: offset, expected: "'\(name)' in the object") }
    return value
  }

  /// Throws if the value of `schema` is not `known`, the only version that the reader understands.
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
      throw JSONError(offset: node.offset, expected: "a string for '\(name)'")
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

  /// Returns a whole number of at least 0.
  func count(_ name: String) throws(JSONError) -> Int? {
    guard let node = node(name) else { return nil }
    return try Self.count(node, name)
  }

  /// Returns a whole number of either sign.
  func integer(_ name: String) throws(JSONError) -> Int? {
    guard let node = node(name) else { return nil }
    guard case .number(let number) = node.content, let integer = JSONText.exact(number) else {
      throw JSONError(offset: node.offset, expected: "a whole number for '\(name)'")
    }
    return integer
  }

  func duration(_ name: String) throws(JSONError) -> Duration? {
    guard let seconds = try number(name) else { return nil }
    guard JSONText.durations ~= seconds else {
      throw JSONError(offset: node(name)!.offset, expected: "0 to 1e9 seconds for '\(name)'")
    }
    return .seconds(seconds)
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
      throw JSONError(offset: node.offset, expected: "an array for '\(name)'")
    }
    return list
  }

  func counts(_ name: String) throws(JSONError) -> [Int]? {
    guard let list = try list(name) else { return nil }
    var counts: [Int] = []
    for node in list { counts.append(try Self.count(node, name)) }
    return counts
  }

  /// Returns the case of `Value` that the value of `name` names; nil if it is missing or null.
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
      throw JSONError(
        offset: node.offset, expected: "a whole number of at least 0 for '\(name)'")
    }
    return count
  }
}
