import Foundation
import WeakCollections

/// The costs of one backend at one point, from all trials.
public struct MeasuredCost: Hashable, Sendable, Codable {
  /// The measured point.
  public var point: GridPoint
  /// The measured backend.
  public var backend: Backend
  /// The number of trials.
  public var trials: Int
  /// The time of an operation as one thread sees it, in nanoseconds.
  public var nanosecondsPerOperation: CostRange
  /// The time within which 99 of 100 operations complete, in nanoseconds; nil if not measured.
  public var p99Nanoseconds: CostRange?
  /// The memory that an entry keeps allocated, in bytes; nil if not measured.
  public var bytesPerEntry: CostRange?

  /// Creates a cost.
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

  /// Returns one cost for each point and backend of `samples`, in order, and none for a point
  /// without a positive cost.
  public static func summaries(of samples: [CostSample]) -> [MeasuredCost] {
    Dictionary(grouping: samples) { Cell(point: $0.point, backend: $0.backend) }
      .compactMap { cell, samples in MeasuredCost(cell, samples) }
      .sorted(by: isOrdered)
  }

  /// Returns whether `one` comes before `other`: by point, then by backend.
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

/// A measured point: a workload on a collection, with a number of threads and a size.
public struct GridPoint: Hashable, Sendable, Codable {
  /// The abstract type of the collection.
  public var collection: CollectionKind
  /// The name of the workload, such as "read-heavy".
  public var workload: String
  /// The shares of the operations.
  public var shares: OperationShares
  /// Whether the shares describe the workload completely. Otherwise its costs answer only questions
  /// that name it, because its other actions, such as letting objects die, also cost time.
  public var isPureMix: Bool
  /// The number of threads that use the collection.
  public var threads: Int
  /// The number of entries.
  public var size: Int

  /// Creates a point.
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

  /// Returns whether both are points of one grid of threads and sizes.
  func isOfSameWorkload(as other: GridPoint) -> Bool {
    collection == other.collection && workload == other.workload && shares == other.shares
      && isPureMix == other.isPureMix
  }
}

extension GridPoint: CustomStringConvertible {
  /// A text such as "read-heavy, 4 threads, size 1024".
  public var description: String {
    "\(workload), \(threads) thread\(threads == 1 ? "" : "s"), size \(size)"
  }
}

extension GridPoint: Comparable {
  /// Returns whether `one` comes before `other`: by collection, workload, shares, threads, then
  /// size.
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

/// A cost by which backends are compared.
public enum CostObjective: String, CaseIterable, Sendable {
  /// The time of an operation as one thread sees it, in nanoseconds.
  case throughput
  /// The time within which 99 of 100 operations complete, in nanoseconds.
  case p99
  /// The memory that an entry keeps allocated, in bytes.
  case bytes
}

/// The median of one cost in several trials, with a confidence interval.
///
/// The bounds are the innermost two trials between which the true median lies with a probability of
/// at least 3/4, whatever the distribution: the smallest and the largest of up to five trials, the
/// second smallest and the second largest of six, the third smallest and the third largest of nine.
/// Two costs whose ranges do not overlap are seldom equal.
///
/// Source: W. R. Thompson, "On Confidence Ranges for the Median", Annals of Mathematical Statistics
/// 7 (1936).
public struct CostRange: Hashable, Sendable, Codable {
  /// The median of the trials.
  public var median: Double
  /// The lower bound of the median.
  public var low: Double
  /// The upper bound of the median.
  public var high: Double

  /// Creates a range.
  public init(median: Double, low: Double, high: Double) {
    self.median = median
    self.low = low
    self.high = high
  }

  /// Creates the range of a cost that is equal in every trial.
  public init(_ value: Double) {
    self.init(median: value, low: value, high: value)
  }

  /// Creates the range of the positive, finite values; nil if there are none. A cost of 0 counts as
  /// not measured.
  init?(of values: [Double]) {
    let sorted = values.filter { $0 > 0 && $0.isFinite }.sorted()
    guard !sorted.isEmpty else { return nil }
    let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    let outside = Self.trialsOutside(of: sorted.count)
    self.init(
      median: median, low: sorted[outside], high: sorted[sorted.count - 1 - outside])
  }

  /// Returns the number of trials among `count` that lie outside the range on each side.
  static func trialsOutside(of count: Int) -> Int {
    // The true median is beyond the trial of rank k if at most k trials lie on its far side: the
    // tail of a fair coin.
    let largestTail = (1 - 0.75) / 2
    var (outside, tail) = (-1, 0.0)
    while tail <= largestTail, outside < (count - 1) / 2 {
      outside += 1
      tail += probability(of: outside, among: count)
    }
    return max(0, tail <= largestTail ? outside : outside - 1)
  }

  /// Returns the probability of `heads` heads among `count` tosses of a fair coin.
  private static func probability(of heads: Int, among count: Int) -> Double {
    func logarithmOfFactorial(_ number: Int) -> Double { lgamma(Double(number) + 1) }
    return exp(
      logarithmOfFactorial(count) - logarithmOfFactorial(heads)
        - logarithmOfFactorial(count - heads) - Double(count) * log(2))
  }
}

/// The costs of a backend in one trial.
public struct CostSample: Hashable, Sendable {
  /// The conditions of the measurement. Its cores are those that the measuring process could use.
  public var key: CalibrationKey
  /// The measured point.
  public var point: GridPoint
  /// The measured backend.
  public var backend: Backend
  /// The time of an operation as one thread sees it, in nanoseconds: time × threads ÷ operations.
  public var nanosecondsPerOperation: Double
  /// The time within which 99 of 100 operations completed, in nanoseconds; nil if single operations
  /// were not timed.
  public var p99Nanoseconds: Double?
  /// The memory that an entry keeps allocated, in bytes; nil if it was not counted.
  public var bytesPerEntry: Double?

  /// Creates a sample.
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

/// The predicted costs of a backend, each with the range of its median; nil if not measured.
public struct PredictedCost: Hashable, Sendable, Codable {
  /// The backend.
  public var backend: Backend
  /// The time of an operation as one thread sees it, in nanoseconds.
  public var nanosecondsPerOperation: CostRange
  /// The time within which 99 of 100 operations complete, in nanoseconds.
  public var p99Nanoseconds: CostRange?
  /// The memory that an entry keeps allocated, in bytes.
  public var bytesPerEntry: CostRange?

  /// Creates a prediction.
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
