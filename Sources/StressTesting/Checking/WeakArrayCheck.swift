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
