import LeakReports

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
