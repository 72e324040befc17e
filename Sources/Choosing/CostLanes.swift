import Foundation
import WeakCollections

/// The costs of all backends, one vector lane for each. One computation answers a question for all
/// backends, without allocating a collection. A backend that was not measured has an infinite cost,
/// which every computation preserves.
struct CostLanes: Hashable, Sendable {
  typealias Lanes = SIMD16<Double>

  var median: Lanes
  var low: Lanes
  var high: Lanes

  static let unmeasured = CostLanes(
    median: Lanes(repeating: .infinity), low: Lanes(repeating: .infinity),
    high: Lanes(repeating: .infinity))

  init(median: Lanes, low: Lanes, high: Lanes) {
    (self.median, self.low, self.high) = (median, low, high)
  }

  /// Creates the lanes of one kind of cost of several backends.
  init(_ costs: [MeasuredCost], of objective: CostObjective) {
    self = .unmeasured
    for cost in costs { self[cost.backend.lane] = cost.cost(of: objective) }
  }

  /// Whether any backend was measured.
  var isMeasured: Bool { median.min() < .infinity }

  /// The number of backends that were measured.
  var measuredCount: Int { median.indices.count { median[$0] < .infinity } }

  /// Accesses the cost in a lane; nil for a backend that was not measured.
  subscript(lane: Int) -> CostRange? {
    get {
      guard median[lane] < .infinity else { return nil }
      return CostRange(median: median[lane], low: low[lane], high: high[lane])
    }
    set {
      median[lane] = newValue?.median ?? .infinity
      low[lane] = newValue?.low ?? .infinity
      high[lane] = newValue?.high ?? .infinity
    }
  }

  /// Returns the costs at the fraction `fraction`, from 0 to 1, of the way from `one` to `other`.
  static func between(_ one: CostLanes, _ other: CostLanes, at fraction: Double) -> CostLanes {
    // Infinity times 0 is not a number.
    if fraction <= 0 { return one }
    if fraction >= 1 { return other }
    return CostLanes(
      median: one.median * (1 - fraction) + other.median * fraction,
      low: one.low * (1 - fraction) + other.low * fraction,
      high: one.high * (1 - fraction) + other.high * fraction)
  }

  var exponentials: CostLanes { mapped { $0 < .infinity ? exp($0) : .infinity } }
  var logarithms: CostLanes { mapped { $0 < .infinity ? log($0) : .infinity } }

  /// Returns the sum of the costs and `other`, which is 0 or infinite in each lane.
  func excluding(_ other: Lanes) -> CostLanes {
    CostLanes(median: median + other, low: low + other, high: high + other)
  }

  private func mapped(_ transform: (Double) -> Double) -> CostLanes {
    var result = self
    for lane in median.indices {
      result.median[lane] = transform(median[lane])
      result.low[lane] = transform(low[lane])
      result.high[lane] = transform(high[lane])
    }
    return result
  }
}

/// The place of a backend in the vectors of `CostLanes`.
private enum Lane: Int {
  // As many as the vectors have. `Backend.lane` names one for each backend, so that the compiler
  // reports a backend for which none is left; it then needs wider vectors.
  case a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p
}

extension Backend {
  private static let inOrder = allCases

  /// The lane of the backend in `CostLanes`.
  var lane: Int {
    let lane: Lane =
      switch self {
      case .barrierQueue: .a
      case .mutex: .b
      case .readWriteLock: .c
      case .actor: .d
      case .adaptiveLock: .e
      case .stripedLock: .f
      case .bucketLock: .g
      case .lockFree: .h
      }
    return lane.rawValue
  }

  init(lane: Int) { self = Self.inOrder.first { $0.lane == lane }! }

  /// Lanes that are infinite for backends that suspend, and 0 for the others.
  static let lanesOfSuspending: CostLanes.Lanes = {
    var lanes = CostLanes.Lanes(repeating: 0)
    for backend in inOrder where !backend.isSynchronous { lanes[backend.lane] = .infinity }
    return lanes
  }()
}
