/// One execution of a scenario, as it was seen from outside.
package struct Recording: Hashable, Sendable {
  package var operations: [RecordedOperation]
  /// What was found when all threads had ended.
  package var aftermath: Aftermath
}

/// An operation with the stamps of its call and its return.
package struct RecordedOperation: Hashable, Sendable {
  /// A thread of the scenario; past those, one lane for each re-entrant object.
  package var lane: Int
  package var step: Scenario.Step
  package var call: UInt64
  /// nil if it never returned.
  package var `return`: UInt64?
  package var answer: Answer?
}

extension RecordedOperation: CustomStringConvertible {
  /// `append 3 → 1`
  package var description: String {
    let answer = answer.map(\.description) ?? "no return"
    return "\(step)" + (answer.isEmpty ? "" : " → \(answer)")
  }
}

extension Recording {
  /// An operation's name, or that of what was found when all had ended.
  package func name(of operation: Int?) -> String {
    operation.map { operations[$0].description } ?? "at rest → \(aftermath.contents)"
  }
}

/// What is left when all threads have ended, and what of it when everything was let go.
package struct Aftermath: Hashable, Sendable {
  /// A weak collection's elements, or a dictionary's pairs.
  package var contents = Answer.nothing
  package var count = 0
  /// A weak collection's entries after one more mutation.
  package var entryCount: Int?
  /// Objects that had no holder any more but the collection, and yet lived.
  package var keptAlive: [Int] = []
  /// Objects that were made more than once: an update ran its body again.
  package var remade: [Int] = []
  /// Objects that lived when everything had been let go.
  package var leaked: [Int] = []
}
