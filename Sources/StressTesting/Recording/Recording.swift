import WeakCollections

/// The observable behavior of one execution of a scenario.
package struct Recording: Hashable, Sendable {
  /// The operations that the threads called.
  package var operations: [RecordedOperation]
  /// The observations after the end of all threads.
  package var aftermath: Aftermath
}

/// An operation with the stamps of its call and its return.
package struct RecordedOperation: Hashable, Sendable {
  /// The lane in a report. Each thread has a lane, and then each re-entrant object.
  package var lane: Int
  /// The operation.
  package var step: Scenario.Step
  /// The stamp of the call.
  package var call: UInt64
  /// The stamp of the return; `nil` if the operation never returned.
  package var `return`: UInt64?
  /// The result; `nil` if the operation never returned.
  package var answer: Answer?
}

extension RecordedOperation: CustomStringConvertible {
  /// The step and its result: `append 3 → 1`.
  package var description: String {
    let answer = answer.map(\.description) ?? "no return"
    return "\(step)" + (answer.isEmpty ? "" : " → \(answer)")
  }
}

extension Recording {
  /// Returns the text of an operation with its result; `nil` stands for the final snapshot.
  package func name(of operation: Int?) -> String {
    operation.map { operations[$0].description } ?? "at rest → \(aftermath.contents)"
  }
}

/// The observations after all threads have ended, and after the release of all references.
package struct Aftermath: Hashable, Sendable {
  /// A weak collection's elements, or a dictionary's pairs.
  package var contents = Answer.nothing
  /// The result of `count`.
  package var count = 0
  /// The entry count of a weak collection after one more insertion. If that exceeds the bound, the
  /// entry count after as many insertions as the collection may need to remove its dead entries.
  package var entryCount: Int?
  /// The objects that were alive although no thread had a strong reference to them.
  package var keptAlive: [Int] = []
  /// The objects that an update made more than once, because it ran its body again.
  package var remade: [Int] = []
  /// The objects that were alive after the release of all references.
  package var leaked: [Int] = []
}

/// The result of an operation, in terms of numbered objects.
package enum Answer: Hashable, Sendable {
  case nothing
  case number(Int)
  case flag(Bool)
  /// Whether an insertion into a weak set added an entry, and the number of entries after it.
  case insertion(inserted: Bool, entries: Int)
  /// The value of a key: the list of the objects that were appended to it; `nil` if there is none.
  case value([Int]?)
  /// The values of the keys of a batch, in order.
  case values([[Int]?])
  /// The elements of a weak array in order, or of a weak set by number.
  case objects([Int])
  /// The keys and values of a dictionary, sorted by key.
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
    case .value(let list): Self.text(list)
    case .values(let lists): "(" + lists.map(Self.text).joined(separator: ", ") + ")"
    case .objects(let objects): Self.text(objects)
    case .pairs(let pairs):
      "{" + pairs.map { "#\($0.key): \(Self.text($0.list))" }.joined(separator: ", ") + "}"
    }
  }

  private static func text(_ numbers: [Int]?) -> String {
    guard let numbers else { return "nil" }
    return "[" + numbers.map(String.init).joined(separator: " ") + "]"
  }
}

/// The result of an operation, with strong references to its objects. The recorder converts it to
/// an `Answer` after it has taken the stamp of the return.
enum Response: Sendable {
  case nothing
  case number(Int)
  case flag(Bool)
  case insertion(inserted: Bool, entries: Int)
  case value(StressObject?)
  case values([StressObject?])
  case elements([StressObject])
  /// Elements in no particular order.
  case members([StressObject])
  case pairs([(key: StressKey, value: StressObject)])

  static func insertion(_ result: WeakSetInsertion<StressObject>) -> Response {
    .insertion(inserted: result.inserted, entries: result.entries)
  }

  var answer: Answer {
    switch self {
    case .nothing: .nothing
    case .number(let number): .number(number)
    case .flag(let flag): .flag(flag)
    case .insertion(let inserted, let entries): .insertion(inserted: inserted, entries: entries)
    case .value(let value): .value(value?.list)
    case .values(let values): .values(values.map { $0?.list })
    case .elements(let elements): .objects(elements.map(\.number))
    case .members(let members): .objects(members.map(\.number).sorted())
    case .pairs(let pairs):
      .pairs(
        pairs.map { Answer.Pair(key: $0.key.number, list: $0.value.list) }
          .sorted { $0.key < $1.key })
    }
  }
}

/// The record of one operation: its stamps and its result.
struct Note<Output: Sendable>: Sendable {
  var call: UInt64?
  var `return`: UInt64?
  var answer: Output?
}

/// The records of one lane, allocated before the first operation.
// @unchecked: one thread writes each record, and other threads read it after the join.
final class Notes<Output: Sendable>: @unchecked Sendable {
  private let notes: UnsafeMutableBufferPointer<Note<Output>>

  init(count: Int) {
    notes = .allocate(capacity: count)
    notes.initialize(repeating: Note())
  }

  deinit {
    notes.deinitialize()
    notes.deallocate()
  }

  subscript(index: Int) -> Note<Output> {
    get { notes[index] }
    set { notes[index] = newValue }
  }

  /// Runs an operation between two stamps. Converts and releases its response after the second
  /// stamp.
  func record<R>(
    _ index: Int, _ stamps: StampSource, _ operation: () -> R, answer: (R) -> Output
  ) {
    notes[index].call = stamps.now()
    let response = operation()
    notes[index].return = stamps.now()
    notes[index].answer = answer(response)
  }

  /// Runs an operation that may suspend, between two stamps.
  func record<R>(
    _ index: Int, _ stamps: StampSource, _ operation: () async -> R, answer: (R) -> Output
  ) async {
    notes[index].call = stamps.now()
    let response = await operation()
    notes[index].return = stamps.now()
    notes[index].answer = answer(response)
  }
}

extension Notes<Answer> {
  func record(_ index: Int, _ stamps: StampSource, _ operation: () -> Response) {
    record(index, stamps, operation, answer: \.answer)
  }

  func record(_ index: Int, _ stamps: StampSource, _ operation: () async -> Response) async {
    await record(index, stamps, operation, answer: \.answer)
  }
}
