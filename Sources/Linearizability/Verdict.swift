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
