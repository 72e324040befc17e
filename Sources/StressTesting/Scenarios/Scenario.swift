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
