import WeakCollections

/// The steps of several threads on one collection, as a value that can be repeated, minimized and
/// printed.
///
/// The values of a dictionary and the elements of a weak collection are numbered objects. In the
/// scenario of a dictionary, each object is offered by exactly one step. In that of a weak
/// collection, every thread whose steps name an object holds a strong reference to it until the
/// thread drops the object, or until all threads have ended.
package struct Scenario: Hashable, Sendable {
  package var collection: CollectionKind
  package var threads: [ThreadPlan]
  /// The objects whose `deinit` uses the collection.
  package var reentrant: Set<Int> = []

  /// Creates a scenario.
  package init(_ collection: CollectionKind, _ threads: [ThreadPlan], reentrant: Set<Int> = []) {
    self.collection = collection
    self.threads = threads
    self.reentrant = reentrant
  }

  /// The steps of all threads.
  package var steps: [Scenario.Step] { threads.flatMap(\.steps) }
  /// The objects that the steps name.
  package var objects: Set<Int> { Set(steps.compactMap(\.object)) }
  /// The keys that the steps name.
  package var keys: Set<Int> { Set(steps.flatMap(\.keys)) }
}

/// The steps of one thread.
package struct ThreadPlan: Hashable, Sendable {
  package var steps: [Scenario.Step]
  /// Whether the thread pins the reclamation domain during all its steps.
  package var isPinned = false
  /// The start of this thread by another one; `nil` if the thread exists from the beginning.
  package var birth: Birth?

  package init(_ steps: [Scenario.Step], isPinned: Bool = false, birth: Birth? = nil) {
    self.steps = steps
    self.isPinned = isPinned
    self.birth = birth
  }
}

/// The start of a thread by another thread. The earlier thread `parent` starts it before its own
/// step number `step`, or after its last step if `step` is the number of its steps.
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

    /// The keys that the step names. A batch has three: its key, the next one, and its key again.
    package var keys: [Int] {
      guard let key else { return [] }
      return verb == .values ? [key, key + 1, key] : [key]
    }
  }
}

extension Scenario.Step: CustomStringConvertible {
  /// The text for reports: `get or insert #0 ← 3` has key 0 and object 3.
  package var description: String {
    let key = key.map { " #\($0)" } ?? ""
    let object = object.map { self.key == nil ? " \($0)" : " ← \($0)" } ?? ""
    return verb.name + key + object
  }
}

/// The operation of a step. The raw value is its letter in the text of a scenario.
package enum Verb: String, CaseIterable, Sendable {
  // Dictionaries.
  case get = "g"
  /// Gets the values of several keys in one call.
  case values = "v"
  case set = "s"
  /// Gets the value of a key, or inserts the offered object.
  case insert = "i"
  /// Appends the object to the value, which is a list.
  case update = "u"
  // Weak arrays.
  case append = "p"
  // Weak sets.
  case join = "j"
  // Weak arrays and sets.
  case contains = "c"
  /// Releases the thread's reference to an object. It is not an operation of the collection.
  case drop = "d"
  case compact = "k"
  case entryCount = "e"
  // Weak sets.
  /// Compacts until it has removed at least one entry.
  case compactOne = "o"
  // All collections.
  case remove = "r"
  case count = "n"
  case snapshot = "a"
  /// Visits all entries with `forEach`, whose body uses the collection.
  case visit = "f"
  case removeAll = "x"

  /// The operands of a verb.
  package struct Operands: Equatable, Sendable {
    package var key = false
    package var object = false
  }

  /// Returns the operands in a collection; `nil` if the collection has no such operation.
  package func operands(in collection: CollectionKind) -> Operands? {
    switch (collection, self) {
    case (.dictionary, .get), (.dictionary, .values), (.dictionary, .remove): Operands(key: true)
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

  /// Returns the verb that inserts an object into a weak collection.
  static func enter(_ collection: CollectionKind) -> Verb {
    collection == .weakSet ? .join : .append
  }

  /// The name in reports.
  package var name: String {
    switch self {
    case .get: "get"
    case .values: "get batch from"
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
  /// The reason why the scenario is invalid; `nil` if it is valid.
  var defect: String? {
    if threads.isEmpty { return "it has no thread" }
    for (index, thread) in threads.enumerated() {
      if let defect = defect(of: thread, index) { return "thread \(index): \(defect)" }
    }
    if !reentrant.isSubset(of: objects) {
      return "no step names the re-entrant object \(reentrant.subtracting(objects).sorted()[0])"
    }
    let offered = steps.compactMap(\.object)
    if collection == .dictionary && Set(offered).count < offered.count {
      return "two steps offer the same object"
    }
    return nil
  }

  private func defect(of thread: ThreadPlan, _ index: Int) -> String? {
    if let birth = thread.birth {
      guard 0..<index ~= birth.parent, 0...threads[birth.parent].steps.count ~= birth.step else {
        return "its parent must be an earlier thread with step \(birth.step), got \(birth.parent)"
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
