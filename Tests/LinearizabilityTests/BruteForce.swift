import Linearizability

/// Tries every order of the operations: slow, and too simple to be wrong.
enum BruteForce {
  static func isLinearizable<Model: SequentialModel>(
    _ history: History<Model.Input, Model.Output>, _ model: Model
  ) -> Bool {
    let parts = Dictionary(grouping: history.operations) { model.partition(of: $0.input) }
    return parts.values.allSatisfy { canPlace(all: $0, from: model.initialState, model) }
  }

  /// Whether some order of `remaining` explains their results; those that never returned may be
  /// left out.
  private static func canPlace<Model: SequentialModel>(
    all remaining: [Operation<Model.Input, Model.Output>], from state: Model.State, _ model: Model
  ) -> Bool {
    if remaining.allSatisfy({ $0.return == nil }) { return true }
    return remaining.indices.contains { index in
      let first = remaining[index]
      let mustWait = remaining.contains { other in other.return.map { $0 < first.call } ?? false }
      guard !mustWait else { return false }
      var rest = remaining
      rest.remove(at: index)
      return model.successors(of: state, after: first.input, returning: first.output).contains {
        canPlace(all: rest, from: $0, model)
      }
    }
  }
}
