import WeakCollections

/// What all trials of one backend at one point said.
public struct MeasuredCost: Hashable, Sendable {
  public var point: GridPoint
  public var backend: Backend
  public var trials: Int
  public var nanosecondsPerOperation: CostRange
  public var p99Nanoseconds: CostRange?
  public var bytesPerEntry: CostRange?

  public init(
    point: GridPoint, backend: Backend, trials: Int, nanosecondsPerOperation: CostRange,
    p99Nanoseconds: CostRange? = nil, bytesPerEntry: CostRange? = nil
  ) {
    self.point = point
    self.backend = backend
    self.trials = trials
    self.nanosecondsPerOperation = nanosecondsPerOperation
    self.p99Nanoseconds = p99Nanoseconds
    self.bytesPerEntry = bytesPerEntry
  }

  /// One for each point and backend of `samples`, in order; a point without a positive cost has none.
  public static func summaries(of samples: [CostSample]) -> [MeasuredCost] {
    Dictionary(grouping: samples) { Cell(point: $0.point, backend: $0.backend) }
      .compactMap { cell, samples in MeasuredCost(cell, samples) }
      .sorted(by: isOrdered)
  }

  /// By points, and at one point in the order of the backends.
  static func isOrdered(_ one: MeasuredCost, _ other: MeasuredCost) -> Bool {
    one.point == other.point ? one.backend.lane < other.backend.lane : one.point < other.point
  }

  func cost(of objective: CostObjective) -> CostRange? {
    switch objective {
    case .throughput: nanosecondsPerOperation
    case .p99: p99Nanoseconds
    case .bytes: bytesPerEntry
    }
  }

  private struct Cell: Hashable {
    let point: GridPoint
    let backend: Backend
  }

  private init?(_ cell: Cell, _ samples: [CostSample]) {
    guard let nanoseconds = CostRange(of: samples.map(\.nanosecondsPerOperation)) else {
      return nil
    }
    self.init(
      point: cell.point, backend: cell.backend, trials: samples.count,
      nanosecondsPerOperation: nanoseconds,
      p99Nanoseconds: CostRange(of: samples.compactMap(\.p99Nanoseconds)),
      bytesPerEntry: CostRange(of: samples.compactMap(\.bytesPerEntry)))
  }
}
