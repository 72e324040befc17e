/// Why a history is illegal: a part of the object, and how far its results can be explained.
///
/// Operations are indices into the history's operations.
public struct Counterexample<Model: SequentialModel>: Sendable {
  public var partition: Model.Partition
  /// All operations of the part, by call.
  public var operations: [Int]
  /// An order that explains every result up to the return of `unplaceable`.
  public var prefix: [LinearizationPoint]
  /// The state before the first operation of `prefix`, and after each.
  public var states: [Model.State]
  /// The operation whose return no order explains: its result does not fit wherever it is placed, or
  /// only where another's result then does not.
  public var unplaceable: Int
  /// The operations under way when `unplaceable` returned that are not in `prefix`, that one among
  /// them: all that could have come next.
  public var candidates: [Int]
}
