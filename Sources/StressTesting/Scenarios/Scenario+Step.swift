extension Scenario {
  /// One operation with its arguments.
  package struct Step: Hashable, Sendable {
    package var verb: Verb
    package var key: Int?
    package var object: Int?

    package init(_ verb: Verb, key: Int? = nil, object: Int? = nil) {
      self.verb = verb
      self.key = key
      self.object = object
    }
  }
}

extension Scenario.Step: CustomStringConvertible {
  /// For reports: `get or insert #0 ← 3` is key 0 and object 3.
  package var description: String {
    let key = key.map { " #\($0)" } ?? ""
    let object = object.map { self.key == nil ? " \($0)" : " ← \($0)" } ?? ""
    return verb.name + key + object
  }
}
