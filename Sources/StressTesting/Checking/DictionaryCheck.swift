import Linearizability

/// Checks a recording of a dictionary: each key's operations, and what several keys' say together.
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
        "count is \(count), which may be \(range.lowerBound) to \(range.upperBound) there",
        recording: recording)
    }
    return nil
  }

  /// A visit that sees a key twice, or a key that nobody ever set.
  private func visitViolation(in recording: Recording) -> Violation? {
    let seen = recording.operations.map { ($0.answer, $0.step.description) }
    for (answer, name) in seen + [(recording.aftermath.contents, "what was found at rest")] {
      guard case .pairs(let pairs)? = answer else { continue }
      let keys = pairs.map(\.key)
      if Set(keys).count < keys.count {
        return Violation(.notLinearizable, "\(name) has a key twice", recording: recording)
      }
      if let key = Set(keys).subtracting(scenario.keys).first {
        let summary = "\(name) has key #\(key), which nobody set"
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

  /// What a step does to each key, and what it answers there.
  private func projections(
    of step: Scenario.Step, _ answer: Answer?
  ) -> [(KeyOperation, [Int]?)] {
    if let key = step.key, let kind = KeyOperation.Kind(step.verb) {
      let value: [Int]? = if case .value(let list)? = answer { list } else { nil }
      return [(KeyOperation(kind: kind, key: key, object: step.object), value)]
    }
    switch step.verb {
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
  /// nil for what concerns no single key.
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

/// What is done to one key of a dictionary.
struct KeyOperation: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case get
    case set
    case insert
    case update
    case remove
    /// `removeAll`, as far as it concerns this key.
    case clear
  }

  var kind: Kind
  var key: Int
  var object: Int?
}

/// A dictionary, key by key: a value is the list of objects that were appended since the key was set.
///
/// - get → the value or nil; set; remove → the value it had.
/// - get or insert → the value, or if there is none the object offered, which becomes the value: a loser
///   gets the winner's, and nobody a value that was never offered.
/// - update appends its object → the value before.
/// - A snapshot reads each key at some moment of its call, and `removeAll` removes each key at some
///   moment of its call; not all at the same. So a key that is present throughout appears, one that is
///   absent throughout does not, and no value appears that the key did not have.
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

/// What `count` of a dictionary may answer while others change it.
///
/// At least the keys that were present throughout the call, at most those that were not absent
/// throughout, and off by one more in either direction for each change of a key under way during the
/// call: an implementation may count a key a moment after it is there. At rest it is exact.
///
/// Where no fence stands between the operations of different threads, as under a managed scheduler with
/// store buffers, every change that another thread began before is one under way: `count` promises
/// nothing to those whom nothing orders.
struct CountBounds {
  private let operations: [RecordedOperation]
  private let keys: Set<Int>
  private let isFenced: Bool
  /// By key, found once: a history may have thousands of operations, and as many ask.
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

  /// How many keys an operation may change.
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

  /// Something put it there before, and whatever removes it came before that or comes later.
  private func isSurelyPresent(_ key: Int, from start: UInt64, to end: UInt64) -> Bool {
    makers(of: key).contains { maker in
      guard let made = maker.return, made < start else { return false }
      return removers(of: key).allSatisfy { remover in
        remover.call > end || remover.return.map { $0 < maker.call } ?? false
      }
    }
  }

  /// Whatever puts it there comes later, or was undone before.
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
