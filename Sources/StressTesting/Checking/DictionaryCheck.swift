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
