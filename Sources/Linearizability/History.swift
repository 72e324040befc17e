/// What happened to a shared object: the calls that workers made, in any order.
///
/// Operation A comes before operation B if A returned at an earlier stamp than B was called. Equal
/// stamps order nothing, so a coarse clock loses violations but never invents one. The stamps of
/// recorders must be fenced: a call's is taken before its first access, a return's after its last.
public struct History<Input: Sendable, Output: Sendable>: Sendable {
  public let operations: [Operation<Input, Output>]

  /// - Precondition: no operation returns before its call, those that returned have a result and the
  ///   others have none, and there are fewer than 2³⁰.
  public init(_ operations: [Operation<Input, Output>]) {
    precondition(operations.count < 1 << 30, "a history has fewer than 2^30 operations")
    for operation in operations {
      if let end = operation.return {
        precondition(operation.call <= end, "an operation returns after it is called")
      }
      precondition(
        (operation.return == nil) == (operation.output == nil),
        "an operation has a result exactly if it returned")
    }
    self.operations = operations
  }
}
