import Linearizability

/// Checks a recording of a weak set: each object's operations, and what is said of all together.
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
      describing: { $0 ? "there" : "not there" })
  }

  /// A snapshot that has an object twice, or one that nobody ever inserted.
  private func repetition(in recording: Recording) -> Violation? {
    let joined = Set(recording.operations.filter { $0.step.verb == .join }.map(\.step.object))
    let seen = recording.operations.map { ($0.answer, $0.step.description) }
    for (answer, name) in seen + [(recording.aftermath.contents, "what was found at rest")] {
      guard case .objects(let objects)? = answer else { continue }
      if Set(objects).count < objects.count {
        return Violation(.notLinearizable, "\(name) has an object twice", recording: recording)
      }
      if let object = objects.first(where: { !joined.contains($0) }) {
        let summary = "\(name) has object \(object), which nobody inserted"
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

  /// What a step does to each object, and what it answers there.
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
  /// nil for what concerns no single object.
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
  /// nil for what is no answer of yes or no.
  fileprivate var isYes: Bool? {
    switch self {
    case .flag(let flag): flag
    case .insertion(let inserted, _): inserted
    default: nil
    }
  }
}
