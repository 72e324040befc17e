/// How often each operation occurs, in per cent of all.
public struct OperationShares: Hashable, Sendable, Codable {
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
    let difference = lanes - other.lanes
    return difference.replacing(with: -difference, where: difference .< 0).sum() / 200
  }

  var all: [Double] { [read, insert, update, remove, iterate] }

  /// The same, to compute with; the lanes left over are 0.
  var lanes: SIMD8<Double> { SIMD8(read, insert, update, remove, iterate, 0, 0, 0) }
}
