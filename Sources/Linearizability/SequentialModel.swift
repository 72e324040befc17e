/// What an object does when one operation follows the other: the specification that a concurrent one
/// is checked against.
///
/// It may be nondeterministic: several states may follow the same operation with the same result.
/// Objects that do only one thing conform to `DeterministicModel`, which is faster to check.
public protocol SequentialModel<State, Input, Output>: Sendable {
  /// Equal states must behave alike for ever; the checker visits no state twice.
  associatedtype State: Hashable & Sendable
  associatedtype Input: Sendable
  associatedtype Output: Sendable
  associatedtype Partition: Hashable & Sendable

  var initialState: State { get }

  /// The part of the object that `input` is about, such as a key: operations on different parts must
  /// not depend on each other. Each part is checked alone, from the initial state.
  func partition(of input: Input) -> Partition

  /// All states in which the object may be after `input` returned `output` in `state`.
  ///
  /// None if that result is impossible there. If `output` is `nil` the operation took effect but
  /// never returned, so every result counts.
  func successors(of state: State, after input: Input, returning output: Output?) -> [State]

  /// Moves `state` to one of its successors and appends the others to `others`; returns false, with
  /// whatever in `state`, if there is none.
  ///
  /// The form of `successors` that the checker calls; implement it only to avoid an array.
  func advance(
    _ state: inout State, after input: Input, returning output: Output?, others: inout [State]
  ) -> Bool
}

extension SequentialModel {
  public func advance(
    _ state: inout State, after input: Input, returning output: Output?, others: inout [State]
  ) -> Bool {
    let following = successors(of: state, after: input, returning: output)
    guard let first = following.first else { return false }
    others.append(contentsOf: following.dropFirst())
    state = first
    return true
  }
}

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
