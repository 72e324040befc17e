import WeakCollections

/// What several threads do with one collection: a value, so that it can be repeated, shrunk and told.
///
/// A dictionary's values and a weak collection's elements are numbered objects. In a dictionary each object
/// is offered by one step; in a weak collection every thread that names an object holds it from the start
/// until it drops it, or until all threads have ended.
package struct Scenario: Hashable, Sendable {
  package var collection: CollectionKind
  package var threads: [ThreadPlan]
  /// The objects whose `deinit` uses the collection that they were in.
  package var reentrant: Set<Int> = []

  package init(_ collection: CollectionKind, _ threads: [ThreadPlan], reentrant: Set<Int> = []) {
    self.collection = collection
    self.threads = threads
    self.reentrant = reentrant
  }

  package var steps: [Scenario.Step] { threads.flatMap(\.steps) }
  package var objects: Set<Int> { Set(steps.compactMap(\.object)) }
  package var keys: Set<Int> { Set(steps.compactMap(\.key)) }
}

/// The steps of one thread.
package struct ThreadPlan: Hashable, Sendable {
  package var steps: [Scenario.Step]
  /// Whether the reclamation domain stays pinned through all of them.
  package var isPinned = false
  /// nil for a thread that is there from the start.
  package var birth: Birth?

  package init(_ steps: [Scenario.Step], isPinned: Bool = false, birth: Birth? = nil) {
    self.steps = steps
    self.isPinned = isPinned
    self.birth = birth
  }
}

/// When a thread is started during the run: by thread `parent`, an earlier one, before its step `step`,
/// or after the last.
package struct Birth: Hashable, Sendable {
  package var parent: Int
  package var step: Int

  package init(parent: Int, step: Int) {
    self.parent = parent
    self.step = step
  }
}

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

extension Scenario {
  /// Why this cannot be run, or nil.
  var defect: String? {
    if threads.isEmpty { return "no thread" }
    for (index, thread) in threads.enumerated() {
      if let defect = defect(of: thread, index) { return "thread \(index): \(defect)" }
    }
    if !reentrant.isSubset(of: objects) { return "a re-entrant object is in no step" }
    let offered = steps.compactMap(\.object)
    if collection == .dictionary && Set(offered).count < offered.count {
      return "two steps offer the same object"
    }
    return nil
  }

  private func defect(of thread: ThreadPlan, _ index: Int) -> String? {
    if let birth = thread.birth {
      guard 0..<index ~= birth.parent, 0...threads[birth.parent].steps.count ~= birth.step else {
        return "it is born by no step of an earlier thread"
      }
    }
    var dropped: Set<Int> = []
    for step in thread.steps {
      guard let operands = step.verb.operands(in: collection) else {
        return "\(collection.rawValue) has no '\(step.verb.name)'"
      }
      guard operands == Verb.Operands(key: step.key != nil, object: step.object != nil) else {
        return "'\(step)' has the wrong arguments"
      }
      guard let object = step.object else { continue }
      if dropped.contains(object) { return "object \(object) is used after its drop" }
      if step.verb == .drop { dropped.insert(object) }
    }
    return nil
  }
}
