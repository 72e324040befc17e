import Linearizability

/// Checks a recording of a dictionary: the operations on each key, and the counts and snapshots of
/// all keys.
struct DictionaryCheck {
  let scenario: Scenario
  let isFenced: Bool
  let checker: Checker<TrackedDictionaryModel>

  init(_ scenario: Scenario, isFenced: Bool, timeLimit: Duration?) {
    self.scenario = scenario
    self.isFenced = isFenced
    checker = Checker(TrackedDictionaryModel(), timeLimit: timeLimit)
  }

  func verdict(on recording: Recording) -> RecordingVerdict {
    if let violation = countViolation(in: recording) ?? visitViolation(in: recording) {
      return .violation(violation)
    }
    return derivedHistory(of: recording).verdict(
      by: checker, on: recording, naming: { "key #\($0)" },
      describing: { Answer.value($0).description })
  }

  private func countViolation(in recording: Recording) -> Violation? {
    let bounds = CountBounds(recording, keys: scenario.keys, isFenced: isFenced)
    for operation in recording.operations where operation.step.verb == .count {
      guard case .number(let count)? = operation.answer else { continue }
      let range = bounds.range(for: operation)
      if range ~= count { continue }
      return Violation(
        .wrongCount,
        "count is \(count); the allowed range is \(range.lowerBound) to \(range.upperBound)",
        recording: recording)
    }
    return nil
  }

  /// Returns a violation if a snapshot or a visit has a key twice, or a key that no step names.
  private func visitViolation(in recording: Recording) -> Violation? {
    let seen = recording.operations.map { ($0.answer, $0.step.description) }
    for (answer, name) in seen + [(recording.aftermath.contents, "the final snapshot")] {
      guard case .pairs(let pairs)? = answer else { continue }
      let keys = pairs.map(\.key)
      if Set(keys).count < keys.count {
        return Violation(.notLinearizable, "\(name) has a key twice", recording: recording)
      }
      if let key = Set(keys).subtracting(scenario.keys).first {
        let summary = "\(name) has key #\(key), which no operation set"
        return Violation(.notLinearizable, summary, recording: recording)
      }
    }
    return nil
  }

  private func derivedHistory(
    of recording: Recording
  ) -> DerivedHistory<KeyOperation, [Int]?> {
    var derived = DerivedHistory<KeyOperation, [Int]?>()
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
        Operation(worker: -1, call: end, return: end + 1, input: input, output: .some(answer)),
        from: nil)
    }
    return derived
  }

  /// Splits a step into operations on single keys, each with its result.
  private func projections(
    of step: Scenario.Step, _ answer: Answer?
  ) -> [(KeyOperation, [Int]?)] {
    if let key = step.key, let kind = KeyOperation.Kind(step.verb) {
      let value: [Int]? = if case .value(let list)? = answer { list } else { nil }
      return [(KeyOperation(kind: kind, key: key, object: step.object), value)]
    }
    switch step.verb {
    case .values:
      let values: [[Int]?] =
        if case .values(let values)? = answer { values } else { step.keys.map { _ in nil } }
      return zip(step.keys, values).map { (KeyOperation(kind: .get, key: $0), $1) }
    case .removeAll:
      return scenario.keys.sorted().map { (KeyOperation(kind: .clear, key: $0), nil) }
    case .snapshot, .visit:
      guard case .pairs(let pairs)? = answer else { return [] }
      return scenario.keys.sorted().map { key in
        (KeyOperation(kind: .get, key: key), pairs.first { $0.key == key }?.list)
      }
    default:
      return []
    }
  }
}

extension KeyOperation.Kind {
  /// Creates the kind for a verb; `nil` if the verb is not an operation on a single key.
  fileprivate init?(_ verb: Verb) {
    switch verb {
    case .get: self = .get
    case .set: self = .set
    case .insert: self = .insert
    case .update: self = .update
    case .remove: self = .remove
    default: return nil
    }
  }
}

/// An operation on one key of a dictionary.
struct KeyOperation: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case get
    case set
    case insert
    case update
    case remove
    /// The effect of `removeAll` on this key.
    case clear
  }

  var kind: Kind
  var key: Int
  var object: Int?
}

/// A model of a dictionary in which each key is a partition. A value is a list of objects: the one
/// that set the key, and those appended since.
///
/// - `get` returns the value or nil, `remove` the value that it removed, and `set` nothing.
/// - A batch reads each of its keys at some moment during its call. The moments may differ.
/// - `insert` (get or insert) returns the present value. If there is none, the offered object
///   becomes the value. So the loser of a race returns the winner's value, and no operation returns
///   a value that no step offered.
/// - `update` appends its object and returns the previous value.
/// - A snapshot reads each key at some moment during its call, and `removeAll` removes each key at
///   some moment during its call. The moments may differ. So a snapshot has every key that is
///   present throughout, no key that is absent throughout, and no value that the key did not have.
struct TrackedDictionaryModel: DeterministicModel {
  typealias State = [Int]?
  typealias Input = KeyOperation
  typealias Output = [Int]?

  var initialState: State { nil }

  func partition(of input: KeyOperation) -> Int { input.key }

  func apply(_ input: KeyOperation, to state: inout State, returning output: Output?) -> Bool {
    let expected: State
    switch input.kind {
    case .get:
      expected = state
    case .set:
      state = [input.object!]
      return true
    case .insert:
      state = state ?? [input.object!]
      expected = state
    case .update:
      expected = state
      state = (state ?? []) + [input.object!]
    case .remove:
      expected = state
      state = nil
    case .clear:
      state = nil
      return true
    }
    guard let output else { return true }
    return output == expected
  }
}

/// The allowed results of `count` while other threads change the dictionary.
///
/// The result is at least the number of keys that were present throughout the call, and at most the
/// number of keys that were not absent throughout. Each concurrent change of a key widens both
/// bounds by one, because an implementation may count a key a moment after it inserts it. At
/// quiescence the result is exact.
///
/// Without a fence between the operations of different threads, as under the managed scheduler with
/// store buffers, every earlier change by another thread counts as concurrent. `count` makes no
/// promise about unordered operations.
struct CountBounds {
  private let operations: [RecordedOperation]
  private let keys: Set<Int>
  private let isFenced: Bool
  /// The operations that set each key, and those that remove it. They are computed once, because a
  /// history may have thousands of operations, with a query for each.
  private let makers: [Int: [RecordedOperation]]
  private let removers: [Int: [RecordedOperation]]
  private let removersOfAll: [RecordedOperation]

  init(_ recording: Recording, keys: Set<Int>, isFenced: Bool) {
    operations = recording.operations
    self.keys = keys
    self.isFenced = isFenced
    makers = Self.byKey(operations) { [.set, .insert, .update].contains($0) }
    removers = Self.byKey(operations) { $0 == .remove }
    removersOfAll = operations.filter { $0.step.verb == .removeAll }
  }

  private static func byKey(
    _ operations: [RecordedOperation], _ isAsked: (Verb) -> Bool
  ) -> [Int: [RecordedOperation]] {
    var byKey: [Int: [RecordedOperation]] = [:]
    for operation in operations where isAsked(operation.step.verb) {
      if let key = operation.step.key { byKey[key, default: []].append(operation) }
    }
    return byKey
  }

  func range(for count: RecordedOperation) -> ClosedRange<Int> {
    let end = count.return ?? .max
    let present = keys.filter { isSurelyPresent($0, from: count.call, to: end) }.count
    let absent = keys.filter { isSurelyAbsent($0, from: count.call, to: end) }.count
    let pending = operations.reduce(0) { sum, operation in
      let isOver = operation.return.map { $0 < count.call } ?? false
      let isSeen = isOver && (isFenced || operation.lane == count.lane)
      return operation.call > end || isSeen ? sum : sum + changes(of: operation)
    }
    return max(0, present - pending)...keys.count - absent + pending
  }

  /// Returns the maximum number of keys that an operation changes.
  private func changes(of operation: RecordedOperation) -> Int {
    switch operation.step.verb {
    case .set, .insert, .update, .remove: 1
    case .removeAll: keys.count
    default: 0
    }
  }

  private func makers(of key: Int) -> [RecordedOperation] { makers[key] ?? [] }

  private func removers(of key: Int) -> [RecordedOperation] {
    removersOfAll + (removers[key] ?? [])
  }

  /// Returns whether an operation set the key before `start`, and every removal precedes that
  /// operation or follows `end`.
  private func isSurelyPresent(_ key: Int, from start: UInt64, to end: UInt64) -> Bool {
    makers(of: key).contains { maker in
      guard let made = maker.return, made < start else { return false }
      return removers(of: key).allSatisfy { remover in
        remover.call > end || remover.return.map { $0 < maker.call } ?? false
      }
    }
  }

  /// Returns whether every operation that sets the key either follows `end`, or precedes a removal
  /// that returned before `start`.
  private func isSurelyAbsent(_ key: Int, from start: UInt64, to end: UInt64) -> Bool {
    makers(of: key).allSatisfy { maker in
      maker.call > end
        || removers(of: key).contains { remover in
          guard let made = maker.return, let removed = remover.return else { return false }
          return made < remover.call && removed < start
        }
    }
  }
}
