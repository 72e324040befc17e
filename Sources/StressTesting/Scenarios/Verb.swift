import WeakCollections

/// What one step of a scenario does; the raw value is its letter in a scenario's text.
package enum Verb: String, CaseIterable, Sendable {
  // Dictionaries.
  case get = "g"
  case set = "s"
  /// The value for a key, or the one offered.
  case insert = "i"
  /// Appends to the list that the value is.
  case update = "u"
  // Weak arrays.
  case append = "p"
  // Weak sets.
  case join = "j"
  // Weak arrays and sets.
  case contains = "c"
  /// Lets go of the thread's own reference to an object; no operation of the collection.
  case drop = "d"
  case compact = "k"
  case entryCount = "e"
  // Weak sets.
  /// Compacts until one entry is removed, or a few more.
  case compactOne = "o"
  // All.
  case remove = "r"
  case count = "n"
  case snapshot = "a"
  /// A snapshot by `forEach`, whose body uses the collection.
  case visit = "f"
  case removeAll = "x"

  /// What a step says beside its verb.
  package struct Operands: Equatable, Sendable {
    package var key = false
    package var object = false
  }

  /// nil if the abstract type has no such operation.
  package func operands(in collection: CollectionKind) -> Operands? {
    switch (collection, self) {
    case (.dictionary, .get), (.dictionary, .remove): Operands(key: true)
    case (.dictionary, .set), (.dictionary, .insert), (.dictionary, .update):
      Operands(key: true, object: true)
    case (.weakArray, .append), (.weakSet, .join): Operands(object: true)
    case (.weakArray, .contains), (.weakArray, .drop), (.weakArray, .remove),
      (.weakSet, .contains), (.weakSet, .drop), (.weakSet, .remove):
      Operands(object: true)
    case (.weakArray, .compact), (.weakArray, .entryCount), (.weakSet, .compact),
      (.weakSet, .compactOne), (.weakSet, .entryCount):
      Operands()
    case (_, .count), (_, .snapshot), (_, .visit), (_, .removeAll): Operands()
    default: nil
    }
  }

  /// What puts an object into a weak collection.
  static func enter(_ collection: CollectionKind) -> Verb {
    collection == .weakSet ? .join : .append
  }

  /// As reports call it.
  package var name: String {
    switch self {
    case .get: "get"
    case .set: "set"
    case .insert: "get or insert"
    case .update: "update"
    case .append: "append"
    case .join: "insert"
    case .contains: "contains"
    case .drop: "drop"
    case .compact: "compact"
    case .compactOne: "compact one"
    case .entryCount: "entry count"
    case .remove: "remove"
    case .count: "count"
    case .snapshot: "snapshot"
    case .visit: "for each"
    case .removeAll: "remove all"
    }
  }
}
