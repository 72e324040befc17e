import Foundation
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

/// What was measured: a workload on a collection, at a number of threads and a size.
public struct GridPoint: Hashable, Sendable, Codable {
  public var collection: CollectionKind
  /// The workload's name, as in "read-heavy".
  public var workload: String
  public var shares: OperationShares
  /// Whether the workload is nothing but its shares. Else its costs answer only for its name: what else it
  /// does, such as letting objects die, costs too.
  public var isPureMix: Bool
  public var threads: Int
  public var size: Int

  public init(
    collection: CollectionKind, workload: String, shares: OperationShares, isPureMix: Bool = true,
    threads: Int, size: Int
  ) {
    self.collection = collection
    self.workload = workload
    self.shares = shares
    self.isPureMix = isPureMix
    self.threads = threads
    self.size = size
  }

  /// Whether both are points of one grid, of threads and sizes.
  func isOfSameWorkload(as other: GridPoint) -> Bool {
    collection == other.collection && workload == other.workload && shares == other.shares
      && isPureMix == other.isPureMix
  }
}

extension GridPoint: CustomStringConvertible {
  public var description: String {
    "\(workload), \(threads) thread\(threads == 1 ? "" : "s"), size \(size)"
  }
}

extension GridPoint: Comparable {
  public static func < (one: GridPoint, other: GridPoint) -> Bool {
    let names = (one.collection.rawValue, one.workload)
    let otherNames = (other.collection.rawValue, other.workload)
    if names != otherNames { return names < otherNames }
    if one.shares != other.shares {
      return one.shares.all.lexicographicallyPrecedes(other.shares.all)
    }
    if one.isPureMix != other.isPureMix { return one.isPureMix }
    return (one.threads, one.size) < (other.threads, other.size)
  }
}

/// What shall be cheap.
public enum CostObjective: String, CaseIterable, Sendable {
  /// Nanoseconds an operation, as one thread sees it.
  case throughput
  /// The nanoseconds within which 99 of 100 operations end.
  case p99
  /// The bytes that an entry keeps allocated.
  case bytes
}

/// What several trials said of one cost: the middle one, and between which two the true middle lies.
///
/// The bounds are the innermost two trials between which the median of all trials that could be made lies
/// in three of four cases at least, whatever the distribution: the least and the greatest of up to five, the
/// second and the last but one of six, the third and the last but two of nine. Two costs whose ranges do not
/// overlap are so seldom equal that one may bet on it.
///
/// Source: W. R. Thompson, "On Confidence Ranges for the Median", Annals of Mathematical Statistics 7 (1936).
public struct CostRange: Hashable, Sendable, Codable {
  public var median: Double
  public var low: Double
  public var high: Double

  public init(median: Double, low: Double, high: Double) {
    self.median = median
    self.low = low
    self.high = high
  }

  /// A cost that every trial said alike.
  public init(_ value: Double) {
    self.init(median: value, low: value, high: value)
  }

  /// Nil without values that are above 0 and finite: a cost of nothing has not been measured.
  init?(of values: [Double]) {
    let sorted = values.filter { $0 > 0 && $0.isFinite }.sorted()
    guard !sorted.isEmpty else { return nil }
    let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    let outside = Self.trialsOutside(of: sorted.count)
    self.init(
      median: median, low: sorted[outside], high: sorted[sorted.count - 1 - outside])
  }

  /// How many of so many trials lie outside the range on each side.
  static func trialsOutside(of count: Int) -> Int {
    // That the true median is beyond the trial of rank k is to have no more than k trials on its side of it: a
    // fair coin's tails.
    let largestTail = (1 - 0.75) / 2
    var (outside, tail) = (-1, 0.0)
    while tail <= largestTail, outside < (count - 1) / 2 {
      outside += 1
      tail += probability(of: outside, among: count)
    }
    return max(0, tail <= largestTail ? outside : outside - 1)
  }

  /// That so many of `count` fair coins show heads.
  private static func probability(of heads: Int, among count: Int) -> Double {
    func logarithmOfFactorial(_ number: Int) -> Double { lgamma(Double(number) + 1) }
    return exp(
      logarithmOfFactorial(count) - logarithmOfFactorial(heads)
        - logarithmOfFactorial(count - heads) - Double(count) * log(2))
  }
}

/// What one trial measured a backend to cost.
public struct CostSample: Hashable, Sendable {
  /// Where it was measured; its cores are those the measuring process could use.
  public var key: CalibrationKey
  public var point: GridPoint
  public var backend: Backend
  /// What one thread sees: seconds × threads ÷ operations.
  public var nanosecondsPerOperation: Double
  /// Within which 99 of 100 operations ended; nil if single operations were not timed.
  public var p99Nanoseconds: Double?
  /// What an entry keeps allocated; nil if nobody counted.
  public var bytesPerEntry: Double?

  public init(
    key: CalibrationKey, point: GridPoint, backend: Backend, nanosecondsPerOperation: Double,
    p99Nanoseconds: Double? = nil, bytesPerEntry: Double? = nil
  ) {
    self.key = key
    self.point = point
    self.backend = backend
    self.nanosecondsPerOperation = nanosecondsPerOperation
    self.p99Nanoseconds = p99Nanoseconds
    self.bytesPerEntry = bytesPerEntry
  }
}

/// What a backend is predicted to cost, each with the range of its median; nil is not measured.
public struct PredictedCost: Hashable, Sendable, Codable {
  public var backend: Backend
  public var nanosecondsPerOperation: CostRange
  public var p99Nanoseconds: CostRange?
  public var bytesPerEntry: CostRange?

  public init(
    backend: Backend, nanosecondsPerOperation: CostRange, p99Nanoseconds: CostRange? = nil,
    bytesPerEntry: CostRange? = nil
  ) {
    self.backend = backend
    self.nanosecondsPerOperation = nanosecondsPerOperation
    self.p99Nanoseconds = p99Nanoseconds
    self.bytesPerEntry = bytesPerEntry
  }
}
