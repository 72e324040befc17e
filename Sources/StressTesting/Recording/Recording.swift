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

/// What one operation was seen to do.
struct Note: Sendable {
  var call: UInt64?
  var `return`: UInt64?
  var answer: Answer?
}

/// Room for a lane's notes, there before the first operation.
// @unchecked: each note is written by one thread, and read once that thread is joined.
final class Notes: @unchecked Sendable {
  private let notes: UnsafeMutableBufferPointer<Note>

  init(count: Int) {
    notes = .allocate(capacity: count)
    notes.initialize(repeating: Note())
  }

  deinit {
    notes.deinitialize()
    notes.deallocate()
  }

  subscript(index: Int) -> Note {
    get { notes[index] }
    set { notes[index] = newValue }
  }

  /// Runs one operation between two stamps; its answer is let go after the second.
  func record(_ index: Int, _ stamps: StampSource, _ operation: () -> Response) {
    notes[index].call = stamps.now()
    let response = operation()
    notes[index].return = stamps.now()
    notes[index].answer = response.answer
  }

  /// The same for an operation that may suspend.
  func record(_ index: Int, _ stamps: StampSource, _ operation: () async -> Response) async {
    notes[index].call = stamps.now()
    let response = await operation()
    notes[index].return = stamps.now()
    notes[index].answer = response.answer
  }
}
