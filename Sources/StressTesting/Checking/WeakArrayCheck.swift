import Linearizability

/// Checks a recording of a weak array: all its operations together, with the deaths of its elements.
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

/// A weak array: its live entries in order, and how many of the dead may still be stored.
///
/// An object's death is an operation of its own: it takes effect between the moment when its last holder
/// lets go and the moment when its `deinit` is seen to begin. A lookup that promotes the object puts its
/// end off, so no special case is needed: before the death every lookup must find it, after it none may.
///
/// Dead entries may go at any moment, unseen. `unnoticed` is the most that can be left; an answer which
/// counts entries says how many there are, and from then on there are at most these. So two appends get
/// the same number only if an entry left between them.
struct TrackedWeakArrayModel: DeterministicModel {
  struct State: Hashable, Sendable {
    var live: [Int] = []
    var unnoticed = 0

    /// Learns that `count` entries are stored; false if that cannot be.
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
      preconditionFailure("a weak array has no '\(step.verb.name)'")
    }
  }

  private func remove(
    _ object: Int, from state: inout State, returning answer: Answer?
  ) -> Bool {
    let index = state.live.firstIndex(of: object)
    if let index { state.live.remove(at: index) }
    return answer.map { $0 == .flag(index != nil) } ?? true
  }

  /// All dead entries go. Some may have gone before, unseen, so their number is a bound.
  private func compact(_ state: inout State, returning answer: Answer?) -> Bool {
    defer { state.unnoticed = 0 }
    guard case .number(let count)? = answer else { return true }
    return 0...state.unnoticed ~= count
  }
}
