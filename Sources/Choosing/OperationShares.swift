/// How often each operation occurs, in per cent of all.
public struct OperationShares: Hashable, Sendable {
  public var read: Double
  public var insert: Double
  public var update: Double
  public var remove: Double
  public var iterate: Double

  public init(
    read: Double = 0, insert: Double = 0, update: Double = 0, remove: Double = 0,
    iterate: Double = 0
  ) {
    self.read = read
    self.insert = insert
    self.update = update
    self.remove = remove
    self.iterate = iterate
  }

  /// The part of the operations that would have to be others to turn one into the other, from 0 to 1.
  public func distance(to other: OperationShares) -> Double {
    zip(all, other.all).reduce(0) { $0 + abs($1.0 - $1.1) } / 200
  }

  var all: [Double] { [read, insert, update, remove, iterate] }
}
