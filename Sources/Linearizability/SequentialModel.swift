/// A specification: the behavior of an object that a single thread uses.
///
/// A model may be nondeterministic: several states may follow the same operation with the same
/// result. A model with at most one next state conforms to `DeterministicModel`, which is faster to
/// check.
public protocol SequentialModel<State, Input, Output>: Sendable {
  /// The state of one partition. Equal states must allow the same continuations, because the
  /// checker visits no state twice.
  associatedtype State: Hashable & Sendable
  /// An operation and its arguments.
  associatedtype Input: Sendable
  /// The result of an operation.
  associatedtype Output: Sendable
  /// An independent part of the object, such as a key of a dictionary.
  associatedtype Partition: Hashable & Sendable

  /// The state of each partition before the first operation.
  var initialState: State { get }

  /// Returns the partition of the object that `input` uses, such as a key.
  ///
  /// Operations on different partitions must be independent: the checker checks each partition
  /// alone, from the initial state.
  func partition(of input: Input) -> Partition

  /// Returns all states in which the object may be after `input` returned `output` in `state`.
  ///
  /// The array is empty if that result is impossible. A `nil` output means that the operation took
  /// effect but never returned, so every result is possible.
  func successors(of state: State, after input: Input, returning output: Output?) -> [State]

  /// Moves `state` to one of its successors and appends the others to `others`.
  ///
  /// The checker calls this form of `successors`. Implement it only to avoid an array.
  ///
  /// - Parameters:
  ///   - state: The state before the operation, and one state after it if the result is true.
  ///   - input: The operation.
  ///   - output: The result to explain; `nil` if the operation never returned.
  ///   - others: The array for the other successors.
  /// - Returns: false if there is no successor; `state` then has an unspecified value.
  func advance(
    _ state: inout State, after input: Input, returning output: Output?, others: inout [State]
  ) -> Bool
}

extension SequentialModel {
  /// Moves `state` to the first of its `successors` and appends the others to `others`.
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

/// A model with at most one next state for a state, an operation and its result.
public protocol DeterministicModel: SequentialModel {
  /// Applies `input` to `state` in place.
  ///
  /// - Parameters:
  ///   - input: The operation.
  ///   - state: The state before the operation, and after it if the result is true.
  ///   - output: The result to explain; `nil` if the operation never returned, in which case every
  ///     result is possible.
  /// - Returns: false if `input` cannot return `output` in `state`, which then has an unspecified
  ///   value.
  func apply(_ input: Input, to state: inout State, returning output: Output?) -> Bool
}

extension DeterministicModel {
  /// Returns the state after `apply`, or an empty array if the result is impossible.
  public func successors(
    of state: State, after input: Input, returning output: Output?
  ) -> [State] {
    var next = state
    return apply(input, to: &next, returning: output) ? [next] : []
  }

  /// Applies `input` to `state`; appends nothing to `others`.
  public func advance(
    _ state: inout State, after input: Input, returning output: Output?, others: inout [State]
  ) -> Bool {
    apply(input, to: &state, returning: output)
  }
}
