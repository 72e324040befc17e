/// How often a worker does what: whole percents that sum to exactly 100.
public struct OperationMix: Codable, Hashable, Sendable {
  public let read: Int
  public let insert: Int
  public let update: Int
  public let remove: Int
  public let iterate: Int

  /// Checks that each share is from 0 to 100 and that they sum to 100.
  public init(
    read: Int = 0, insert: Int = 0, update: Int = 0, remove: Int = 0, iterate: Int = 0
  ) throws(WorkloadError) {
    self.init(unchecked: (read, insert, update, remove, iterate))
    for operation in OperationKind.allCases where !(0...100).contains(share(of: operation)) {
      throw .shareOutOfRange(operation, found: share(of: operation))
    }
    // No overflow: each share is at most 100 by now.
    let sum = read + insert + update + remove + iterate
    guard sum == 100 else { throw .sharesDoNotSumTo100(found: sum) }
  }

  private init(unchecked shares: (read: Int, insert: Int, update: Int, remove: Int, iterate: Int)) {
    (read, insert, update, remove, iterate) = shares
  }

  /// The percentage of all operations that are of this kind.
  public func share(of operation: OperationKind) -> Int {
    switch operation {
    case .read: read
    case .insert: insert
    case .update: update
    case .remove: remove
    case .iterate: iterate
    }
  }

  /// The operation that a number drawn uniformly from 0 to 99 stands for.
  public func operation(forDraw draw: Int) -> OperationKind {
    precondition((0..<100).contains(draw), "a draw is from 0 to 99")
    var bound = 0
    for operation in OperationKind.allCases {
      bound += share(of: operation)
      if draw < bound { return operation }
    }
    fatalError("the shares sum to 100")
  }
}
