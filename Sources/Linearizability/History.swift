/// The operations that several workers performed on a shared object, in any order.
///
/// Operation A precedes operation B if A returned at an earlier stamp than B was called. Equal
/// stamps order nothing, so a coarse clock can hide a violation but never invents one. A recorder
/// must fence its stamps: it takes the call's stamp before the first access and the return's after
/// the last.
public struct History<Input: Sendable, Output: Sendable>: Sendable {
  /// The operations in the order of the initializer's argument.
  public let operations: [Operation<Input, Output>]

  /// Creates a history.
  ///
  /// - Parameter operations: The operations, in any order.
  /// - Precondition: No operation returns before its call, an operation has an output exactly if it
  ///   has a return, and there are fewer than 2³⁰ operations.
  /// - Complexity: O(*n*) for *n* operations.
  public init(_ operations: [Operation<Input, Output>]) {
    guard operations.count < 1 << 30 else {
      fatalError("a history must have fewer than 2^30 operations, got \(operations.count)")
    }
    for operation in operations {
      if let end = operation.return {
        guard operation.call <= end else {
          fatalError(
            "an operation must not return before its call, got call \(operation.call), return \(end)"
          )
        }
      }
      guard (operation.return == nil) == (operation.output == nil) else {
        fatalError(
          "an operation must have both a return and an output, or neither; worker "
            + "\(operation.worker)'s at \(operation.call) has "
            + (operation.output == nil ? "no output" : "no return"))
      }
    }
    self.operations = operations
  }
}

/// One call of an operation on a shared object, as one worker observed it.
public struct Operation<Input: Sendable, Output: Sendable>: Sendable {
  /// The calling thread, as a label for reports. Only the stamps order operations.
  public var worker: Int
  /// The stamp of the call, from a clock that all workers share.
  public var call: UInt64
  /// The stamp of the return; `nil` if the call never returned, in which case it may or may not
  /// have taken effect.
  public var `return`: UInt64?
  /// The operation and its arguments.
  public var input: Input
  /// The result; `nil` if the call never returned.
  public var output: Output?

  /// Creates an operation. `return` and `output` are `nil` if the call never returned.
  public init(worker: Int, call: UInt64, return: UInt64?, input: Input, output: Output?) {
    self.worker = worker
    self.call = call
    self.return = `return`
    self.input = input
    self.output = output
  }
}

extension Operation: Equatable where Input: Equatable, Output: Equatable {}

/// The checker's answer about a history.
public enum Verdict<Model: SequentialModel>: Sendable {
  /// The history is linearizable: these points, listed partition by partition, explain every
  /// result.
  ///
  /// A stable sort by stamp turns them into one order of the whole history. An operation that never
  /// returned has a point only if some result needs it.
  case linearizable([LinearizationPoint])
  /// No order of the operations explains every result.
  case illegal(Counterexample<Model>)
  /// The search reached a limit before it found an answer.
  case unknown(Limit)

  /// The limit that ended a search.
  public enum Limit: Sendable, Equatable {
    /// The search took this long.
    case time(Duration)
    /// The search took this many steps.
    case steps(Int)
  }

  /// Whether the checker found an order that explains every result.
  public var isLinearizable: Bool {
    if case .linearizable = self { true } else { false }
  }

  /// Whether the checker proved that no order explains every result.
  public var isIllegal: Bool {
    if case .illegal = self { true } else { false }
  }

  /// Whether the search reached a limit.
  public var isUnknown: Bool {
    if case .unknown = self { true } else { false }
  }
}

/// A moment at which an operation may have taken effect atomically.
public struct LinearizationPoint: Sendable, Equatable {
  /// An index into the history's operations.
  public var operation: Int
  /// A stamp between the operation's call and its return, both included. Points of one partition
  /// with equal stamps are listed in their order.
  public var stamp: UInt64

  /// Creates a point.
  public init(operation: Int, stamp: UInt64) {
    self.operation = operation
    self.stamp = stamp
  }
}

/// The reason why a history is illegal: one partition, and the longest explanation of its results.
///
/// Operations are indices into the history's operations.
public struct Counterexample<Model: SequentialModel>: Sendable {
  /// The partition whose operations have no explanation.
  public var partition: Model.Partition
  /// All operations of the partition, sorted by call.
  public var operations: [Int]
  /// An order that explains every result up to the return of `unplaceable`.
  public var prefix: [LinearizationPoint]
  /// The state before the first operation of `prefix`, and after each.
  public var states: [Model.State]
  /// The operation whose return no order explains: either its result fits nowhere, or it fits only
  /// where the result of another operation then does not.
  public var unplaceable: Int
  /// The operations that are pending when `unplaceable` returns and are not in `prefix`, including
  /// `unplaceable` itself. Only one of these could come next.
  public var candidates: [Int]
}
