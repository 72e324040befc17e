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
