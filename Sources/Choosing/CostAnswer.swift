import WeakCollections

/// What each backend costs for one question.
public struct CostAnswer: Hashable, Sendable {
  let basis: CostBasis
  /// By how much the question lies outside what was measured.
  public let excess: GridExcess
  /// What is to be small: the objective's cost, weighed against bytes.
  private let score: CostLanes

  init(basis: CostBasis, excess: GridExcess, score: CostLanes) {
    self.basis = basis
    self.excess = excess
    self.score = score
  }

  var hasCosts: Bool { score.isMeasured }

  /// The cheapest by its median; the first of equally cheap ones.
  public var cheapest: Backend { Backend(lane: cheapestLane) }

  /// What the backends are compared by: the objective's cost or, with a memory weight, a mean of it and of the
  /// bytes. Nil for a backend that was not measured here, or that the profile cannot use.
  public func score(of backend: Backend) -> CostRange? { score[backend.lane] }

  /// Whether measurements do not tell that `backend` is dearer than the cheapest: its range begins at most
  /// where the cheapest's ends, or its median is dearer by less than the part `noiseFloor`. It holds of the
  /// cheapest.
  public func isContender(_ backend: Backend, noiseFloor: Double) -> Bool {
    guard let cost = score[backend.lane], let best = score[cheapestLane] else { return false }
    return cost.low <= best.high || cost.median < best.median * (1 + noiseFloor)
      || cost.median == best.median
  }

  private var cheapestLane: Int {
    var cheapest = 0
    for lane in 1..<Backend.laneCount where score.median[lane] < score.median[cheapest] {
      cheapest = lane
    }
    return cheapest
  }
}
