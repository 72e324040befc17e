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

/// One call of an operation on a shared object, as a worker saw it.
public struct Operation<Input: Sendable, Output: Sendable>: Sendable {
  /// Who called. Only a label for reports: order comes from the stamps alone.
  public var worker: Int
  /// When the call began, on a clock that all workers share.
  public var call: UInt64
  /// When the call ended; `nil` if it never did. It then may or may not have taken effect.
  public var `return`: UInt64?
  public var input: Input
  /// The result; `nil` if the call never ended.
  public var output: Output?

  public init(worker: Int, call: UInt64, return: UInt64?, input: Input, output: Output?) {
    self.worker = worker
    self.call = call
    self.return = `return`
    self.input = input
    self.output = output
  }
}

extension Operation: Equatable where Input: Equatable, Output: Equatable {}

/// What the checker found out about a history.
public enum Verdict<Model: SequentialModel>: Sendable {
  /// The operations in an order that explains every result: part by part, each part's in order.
  ///
  /// A stable sort by stamp makes it one order of the whole history. Operations that never returned
  /// are in it only where some result needs them.
  case linearizable([LinearizationPoint])
  /// No order explains every result.
  case illegal(Counterexample<Model>)
  /// The search was ended before it knew.
  case unknown(Limit)

  /// What ended a search.
  public enum Limit: Sendable, Equatable {
    case time(Duration)
    case steps(Int)
  }

  public var isLinearizable: Bool {
    if case .linearizable = self { true } else { false }
  }

  public var isIllegal: Bool {
    if case .illegal = self { true } else { false }
  }

  public var isUnknown: Bool {
    if case .unknown = self { true } else { false }
  }
}

/// A moment at which an operation may have taken effect, all at once.
public struct LinearizationPoint: Sendable, Equatable {
  /// An index into the history's operations.
  public var operation: Int
  /// Within the operation's call and return. Points of one part that share a stamp are in the order in
  /// which they are listed.
  public var stamp: UInt64

  public init(operation: Int, stamp: UInt64) {
    self.operation = operation
    self.stamp = stamp
  }
}

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
