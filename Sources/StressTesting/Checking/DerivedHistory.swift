import Linearizability

/// A history for a model, and which of a recording's operations each of its operations was.
struct DerivedHistory<Input: Sendable, Answer: Sendable> {
  private(set) var operations: [Operation<Input, Answer>] = []
  /// nil is what was found at rest.
  private(set) var origins: [Int?] = []

  var history: History<Input, Answer> { History(operations) }

  mutating func add(_ operation: Operation<Input, Answer>, from origin: Int?) {
    operations.append(operation)
    origins.append(origin)
  }

  /// What the checker says, in a recording's terms.
  func placement<Model: SequentialModel>(
    _ counterexample: Counterexample<Model>, partition: String,
    describing state: (Model.State) -> String
  ) -> Placement {
    // The first state is the one before any operation.
    let points = zip(counterexample.prefix, counterexample.states.dropFirst()).map {
      Placement.Point(operation: origins[$0.operation], stamp: $0.stamp, state: state($1))
    }
    return Placement(
      partition: partition, points: points, stuck: counterexample.candidates.map { origins[$0] })
  }
}

extension DerivedHistory {
  /// What `checker` says of this history, which was made of `recording`.
  func verdict<Model: SequentialModel>(
    by checker: Checker<Model>, on recording: Recording,
    naming partition: (Model.Partition) -> String, describing state: (Model.State) -> String
  ) -> RecordingVerdict where Model.Input == Input, Model.Output == Answer {
    switch checker.check(history) {
    case .linearizable: return .fine
    case .unknown: return .undecided
    case .illegal(let counterexample):
      let placement = placement(
        counterexample, partition: partition(counterexample.partition), describing: state)
      return .violation(
        Violation(
          .notLinearizable,
          "no order of the operations on \(placement.partition) explains "
            + recording.name(of: origins[counterexample.unplaceable]),
          recording: recording, placement: placement))
    }
  }
}
