/// What a collection answered, in terms of numbered objects.
package enum Answer: Hashable, Sendable {
  case nothing
  case number(Int)
  case flag(Bool)
  /// Whether a weak set's insertion added, and the entries after it.
  case insertion(inserted: Bool, entries: Int)
  /// A dictionary's value: the list of objects that were appended to it; nil if there was none.
  case value([Int]?)
  /// A weak array's elements in order, or a weak set's by number.
  case objects([Int])
  /// A dictionary's keys and values, sorted by key.
  case pairs([Pair])

  package struct Pair: Hashable, Sendable {
    package let key: Int
    package let list: [Int]

    package init(key: Int, list: [Int]) {
      self.key = key
      self.list = list
    }
  }
}

extension Answer: CustomStringConvertible {
  package var description: String {
    switch self {
    case .nothing: ""
    case .number(let number): "\(number)"
    case .flag(let flag): flag ? "yes" : "no"
    case .insertion(let inserted, let entries): (inserted ? "yes" : "no") + ", \(entries)"
    case .value(nil): "nil"
    case .value(let list?): Self.text(list)
    case .objects(let objects): Self.text(objects)
    case .pairs(let pairs):
      "{" + pairs.map { "#\($0.key): \(Self.text($0.list))" }.joined(separator: ", ") + "}"
    }
  }

  private static func text(_ numbers: [Int]) -> String {
    "[" + numbers.map(String.init).joined(separator: " ") + "]"
  }
}

/// What a collection answered, holding the objects; turned into an `Answer` after the return's stamp.
enum Response: Sendable {
  case nothing
  case number(Int)
  case flag(Bool)
  case insertion(inserted: Bool, entries: Int)
  case value(Tracked?)
  case elements([Tracked])
  /// Elements in no particular order.
  case members([Tracked])
  case pairs([(key: StressKey, value: Tracked)])

  static func insertion(_ result: (inserted: Bool, entries: Int)) -> Response {
    .insertion(inserted: result.inserted, entries: result.entries)
  }

  var answer: Answer {
    switch self {
    case .nothing: .nothing
    case .number(let number): .number(number)
    case .flag(let flag): .flag(flag)
    case .insertion(let inserted, let entries): .insertion(inserted: inserted, entries: entries)
    case .value(let value): .value(value?.list)
    case .elements(let elements): .objects(elements.map(\.number))
    case .members(let members): .objects(members.map(\.number).sorted())
    case .pairs(let pairs):
      .pairs(
        pairs.map { Answer.Pair(key: $0.key.number, list: $0.value.list) }
          .sorted { $0.key < $1.key })
    }
  }
}
