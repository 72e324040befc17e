import Linearizability

/// Checks a recording of a weak set: the operations on each object, and the counts and snapshots of
/// all objects.
struct WeakSetCheck {
  let scenario: Scenario
  let isFenced: Bool
  let checker: Checker<TrackedWeakSetModel>

  init(_ scenario: Scenario, isFenced: Bool, timeLimit: Duration?) {
    self.scenario = scenario
    self.isFenced = isFenced
    checker = Checker(TrackedWeakSetModel(), timeLimit: timeLimit)
  }

  func verdict(on recording: Recording) -> RecordingVerdict {
    let counts = WeakSetCounts(recording, scenario: scenario, isFenced: isFenced)
    if let violation = counts.violation ?? repetition(in: recording) {
      return .violation(violation)
    }
    return derivedHistory(of: recording).verdict(
      by: checker, on: recording, naming: { "object \($0)" },
      describing: { $0 ? "present" : "absent" })
  }

  /// Returns a violation if a snapshot has an object twice, or an object that no step inserts.
  private func repetition(in recording: Recording) -> Violation? {
    let joined = Set(recording.operations.filter { $0.step.verb == .join }.map(\.step.object))
    let seen = recording.operations.map { ($0.answer, $0.step.description) }
    for (answer, name) in seen + [(recording.aftermath.contents, "the final snapshot")] {
      guard case .objects(let objects)? = answer else { continue }
      if Set(objects).count < objects.count {
        return Violation(.notLinearizable, "\(name) has an object twice", recording: recording)
      }
      if let object = objects.first(where: { !joined.contains($0) }) {
        let summary = "\(name) has object \(object), which no operation inserted"
        return Violation(.notLinearizable, summary, recording: recording)
      }
    }
    return nil
  }

  private func derivedHistory(
    of recording: Recording
  ) -> DerivedHistory<MemberOperation, Bool> {
    var derived = DerivedHistory<MemberOperation, Bool>()
    for (index, operation) in recording.operations.enumerated() {
      for (input, answer) in projections(of: operation.step, operation.answer) {
        derived.add(
          Operation(
            worker: operation.lane, call: operation.call, return: operation.return, input: input,
            output: operation.return.map { _ in answer }), from: index)
      }
    }
    let end = recording.end
    for (input, answer) in projections(of: Scenario.Step(.snapshot), recording.aftermath.contents) {
      derived.add(
        Operation(worker: -1, call: end, return: end + 1, input: input, output: answer), from: nil)
    }
    return derived
  }

  /// Splits a step into operations on single objects, each with its result.
  private func projections(
    of step: Scenario.Step, _ answer: Answer?
  ) -> [(MemberOperation, Bool)] {
    if let object = step.object, let kind = MemberOperation.Kind(step.verb) {
      return [(MemberOperation(kind: kind, object: object), answer?.isYes ?? true)]
    }
    let objects = scenario.objects.sorted()
    switch (step.verb, answer) {
    case (.removeAll, _):
      return objects.map { (MemberOperation(kind: .clear, object: $0), true) }
    case (_, .objects(let found)?):
      return objects.map { (MemberOperation(kind: .contains, object: $0), found.contains($0)) }
    default:
      return []
    }
  }
}

extension MemberOperation.Kind {
  /// Creates the kind for a verb; `nil` if the verb is not an operation on a single object.
  fileprivate init?(_ verb: Verb) {
    switch verb {
    case .join: self = .join
    case .contains: self = .contains
    case .remove: self = .remove
    case .drop: self = .die
    default: return nil
    }
  }
}

extension Answer {
  /// The answer yes or no; `nil` for other answers.
  fileprivate var isYes: Bool? {
    switch self {
    case .flag(let flag): flag
    case .insertion(let inserted, _): inserted
    default: nil
    }
  }
}

/// An operation on one object of a weak set.
struct MemberOperation: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case join
    case contains
    case remove
    /// The effect of `removeAll` on this object.
    case clear
    /// The object's death; see `TrackedWeakArrayModel`.
    case die
  }

  var kind: Kind
  var object: Int
}

/// A model of a weak set in which each object is a partition. The object is either present and
/// alive, or absent.
///
/// - `insert` returns whether the object was absent; `contains` and `remove` return whether it was
///   present.
/// - A snapshot looks for each object at some moment during its call, and `removeAll` removes each
///   object at some moment during its call. The moments may differ.
struct TrackedWeakSetModel: DeterministicModel {
  typealias State = Bool
  typealias Input = MemberOperation
  typealias Output = Bool

  var initialState: Bool { false }

  func partition(of input: MemberOperation) -> Int { input.object }

  func apply(_ input: MemberOperation, to isThere: inout Bool, returning output: Bool?) -> Bool {
    let wasThere = isThere
    switch input.kind {
    case .join:
      isThere = true
      return output.map { $0 == !wasThere } ?? true
    case .contains:
      return output.map { $0 == wasThere } ?? true
    case .remove:
      isThere = false
      return output.map { $0 == wasThere } ?? true
    case .clear, .die:
      isThere = false
      return true
    }
  }
}

/// The allowed numbers of elements and entries of a weak set while other threads change it.
///
/// - `count` has the bounds of a dictionary's `count`, with deaths as removals; see `CountBounds`.
/// - The number of entries may include dead ones, and it may change a moment after an entry does.
/// - Compactions count each dead entry at most once.
/// - If no entry leaves, no two insertions that add an entry return the same number.
struct WeakSetCounts {
  private let recording: Recording
  private let objects: Set<Int>
  private let isFenced: Bool

  init(_ recording: Recording, scenario: Scenario, isFenced: Bool) {
    self.recording = recording
    objects = scenario.objects
    self.isFenced = isFenced
  }

  var violation: Violation? {
    countViolation ?? compactionViolation ?? repetition
  }

  private var countViolation: Violation? {
    // An entry leaves by its removal, or unobserved after the death of its object.
    let live = CountBounds(keyed { $0 == .drop ? .remove : $0 }, keys: objects, isFenced: isFenced)
    let stored = CountBounds(keyed { $0 == .drop ? nil : $0 }, keys: objects, isFenced: isFenced)
    for operation in recording.operations {
      guard let number = operation.number else { continue }
      let least = live.range(for: operation).lowerBound
      let range =
        operation.step.verb == .count
        ? live.range(for: operation) : least...stored.range(for: operation).upperBound
      if range ~= number { continue }
      return Violation(
        .wrongCount,
        "\(operation): the allowed range is \(range.lowerBound) to \(range.upperBound)",
        recording: recording)
    }
    return nil
  }

  private var compactionViolation: Violation? {
    let dead = recording.operations.count { $0.step.verb == .drop }
    let compacted = recording.operations.reduce(0) { sum, operation in
      guard [.compact, .compactOne].contains(operation.step.verb),
        case .number(let count)? = operation.answer
      else { return sum }
      return sum + count
    }
    if compacted <= dead { return nil }
    return Violation(
      .wrongCount, "compactions removed \(compacted) entries, but \(dead) of the objects died",
      recording: recording)
  }

  private var repetition: Violation? {
    let leaving: Set<Verb> = [.remove, .removeAll, .drop]
    if recording.operations.contains(where: { leaving.contains($0.step.verb) }) { return nil }
    var numbers: Set<Int> = []
    for operation in recording.operations {
      guard case .insertion(inserted: true, let entries)? = operation.answer else { continue }
      if numbers.insert(entries).inserted { continue }
      return Violation(
        .wrongCount, "two insertions returned entry count \(entries), but no entry left",
        recording: recording)
    }
    return nil
  }

  /// Returns the recording as that of a dictionary, in which each object is a key, and an insertion
  /// sets that key.
  private func keyed(_ verb: (Verb) -> Verb?) -> Recording {
    var keyed = recording
    keyed.operations = recording.operations.compactMap { operation in
      guard let verb = verb(operation.step.verb) else { return nil }
      var operation = operation
      operation.step = Scenario.Step(verb == .join ? .set : verb, key: operation.step.object)
      return operation
    }
    return keyed
  }
}

extension RecordedOperation {
  /// The number of elements or entries in the answer; `nil` if there is none.
  fileprivate var number: Int? {
    switch (step.verb, answer) {
    case (.count, .number(let count)?), (.entryCount, .number(let count)?): count
    case (_, .insertion(_, let entries)?): entries
    default: nil
    }
  }
}
