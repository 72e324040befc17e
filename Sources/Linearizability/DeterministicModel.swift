/// A model in which a state, an operation and its result leave one next state, made in place.
public protocol DeterministicModel: SequentialModel {
  /// Applies `input` to `state`; returns false, with whatever in `state`, if it cannot return `output`
  /// there. If `output` is `nil` the operation never returned, and every result will do.
  func apply(_ input: Input, to state: inout State, returning output: Output?) -> Bool
}

extension DeterministicModel {
  public func successors(
    of state: State, after input: Input, returning output: Output?
  ) -> [State] {
    var next = state
    return apply(input, to: &next, returning: output) ? [next] : []
  }

  public func advance(
    _ state: inout State, after input: Input, returning output: Output?, others: inout [State]
  ) -> Bool {
    apply(input, to: &state, returning: output)
  }
}
