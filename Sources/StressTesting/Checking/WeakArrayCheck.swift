import Linearizability

/// Checks a recording of a weak array: all operations together, including the deaths of elements.
struct WeakArrayCheck {
  let checker: Checker<TrackedWeakArrayModel>

  init(timeLimit: Duration?) {
    checker = Checker(TrackedWeakArrayModel(), timeLimit: timeLimit)
  }

  func verdict(on recording: Recording) -> RecordingVerdict {
    derivedHistory(of: recording).verdict(
      by: checker, on: recording, naming: { _ in "the array" },
      describing: { "\(Answer.objects($0.live)), at most \($0.unnoticed) dead" })
  }

  private func derivedHistory(of recording: Recording) -> DerivedHistory<Scenario.Step, Answer> {
    var derived = DerivedHistory<Scenario.Step, Answer>()
    for (index, operation) in recording.operations.enumerated() {
      derived.add(
        Operation(
          worker: operation.lane, call: operation.call, return: operation.return,
          input: operation.step,
          output: operation.return.map { _ in operation.answer ?? .nothing }), from: index)
    }
    let end = recording.end
    derived.add(
      Operation(
        worker: -1, call: end, return: end + 1, input: Scenario.Step(.snapshot),
        output: recording.aftermath.contents), from: nil)
    return derived
  }
}

/// A model of a weak array: its live entries in order, and the maximum number of dead entries.
///
/// The death of an object is an operation. It takes effect between the release of the last strong
/// reference and the recorded beginning of `deinit`. Before the death, every lookup must find the
/// object; after it, no lookup may. A lookup that promotes the object needs no special case,
/// because it defers the `deinit`.
///
/// A backend may remove dead entries at any moment, unobserved. `unnoticed` is the maximum number
/// of dead entries that can be left. A result that counts entries reveals the number that is left;
/// this is the maximum from then on. So two appends return the same number only if an entry left
/// the array between them.
struct TrackedWeakArrayModel: DeterministicModel {
  struct State: Hashable, Sendable {
    var live: [Int] = []
    var unnoticed = 0

    /// Updates the state for a result that counts entries; returns false if that result is
    /// impossible.
    mutating func learn(entryCount: Int) -> Bool {
      let dead = entryCount - live.count
      guard 0...unnoticed ~= dead else { return false }
      unnoticed = dead
      return true
    }
  }

  typealias Input = Scenario.Step
  typealias Output = Answer

  var initialState: State { State() }

  func partition(of input: Scenario.Step) -> Int { 0 }

  func apply(_ step: Scenario.Step, to state: inout State, returning answer: Answer?) -> Bool {
    switch step.verb {
    case .append:
      state.live.append(step.object!)
      guard case .number(let count)? = answer else { return true }
      return state.learn(entryCount: count)
    case .entryCount:
      guard case .number(let count)? = answer else { return true }
      return state.learn(entryCount: count)
    case .contains:
      return answer.map { $0 == .flag(state.live.contains(step.object!)) } ?? true
    case .remove:
      return remove(step.object!, from: &state, returning: answer)
    case .count:
      return answer.map { $0 == .number(state.live.count) } ?? true
    case .snapshot, .visit:
      return answer.map { $0 == .objects(state.live) } ?? true
    case .compact:
      return compact(&state, returning: answer)
    case .removeAll:
      state = State()
      return true
    case .drop:
      let count = state.live.count
      state.live.removeAll { $0 == step.object! }
      state.unnoticed += count - state.live.count
      return true
    default:
      fatalError("a weak array has no '\(step.verb.name)'")
    }
  }

  private func remove(
    _ object: Int, from state: inout State, returning answer: Answer?
  ) -> Bool {
    let index = state.live.firstIndex(of: object)
    if let index { state.live.remove(at: index) }
    return answer.map { $0 == .flag(index != nil) } ?? true
  }

  /// Removes all dead entries. The backend may have removed some before, unobserved, so the model
  /// knows only an upper bound of the result.
  private func compact(_ state: inout State, returning answer: Answer?) -> Bool {
    defer { state.unnoticed = 0 }
    guard case .number(let count)? = answer else { return true }
    return 0...state.unnoticed ~= count
  }
}
