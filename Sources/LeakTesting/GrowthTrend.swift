/// The growth of the number of live objects per round: the slope of the least-squares line through
/// the counts, and its confidence interval at 99.9 %.
struct GrowthTrend: Equatable {
  /// The minimum number of counts; the interval of fewer counts is too wide to be useful.
  static let fewestRounds = 8

  /// The growth per round.
  let slope: Double
  /// Half the width of the confidence interval around `slope`.
  let margin: Double

  /// Fits a line to counts.
  ///
  /// - Precondition: There are at least `fewestRounds` counts.
  init(_ counts: some RandomAccessCollection<Int>) {
    precondition(counts.count >= Self.fewestRounds)
    let number = Double(counts.count)
    let center = ((number - 1) / 2, counts.reduce(0) { $0 + Double($1) } / number)
    let points = counts.enumerated().map { (Double($0) - center.0, Double($1) - center.1) }
    let spread = points.reduce(0) { $0 + $1.0 * $1.0 }
    let slope = points.reduce(0) { $0 + $1.0 * $1.1 } / spread
    let rest = points.reduce(0) { sum, point in
      let residual = point.1 - slope * point.0
      return sum + residual * residual
    }
    self.slope = slope
    let freedom = number - 2
    margin = max(
      Self.quantile(freedom) * (rest / freedom / spread).squareRoot(),
      Self.marginOfWalk(Array(counts)))
  }

  /// Returns half the width of the interval under the assumption that the counts are a random walk,
  /// as the length of a queue is; 0 for too few counts.
  ///
  /// The residuals of a random walk around a line depend on each other, so the least-squares
  /// interval would be too narrow. Its differences are independent. Differences over blocks of
  /// rounds contain less other noise than those of single rounds.
  private static func marginOfWalk(_ counts: [Int]) -> Double {
    let block = 4
    let steps = stride(from: 0, to: counts.count - block, by: block).map {
      Double(counts[$0 + block] - counts[$0]) / Double(block)
    }
    guard steps.count >= fewestRounds - 1 else { return 0 }
    let number = Double(steps.count)
    let mean = steps.reduce(0, +) / number
    let variance = steps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (number - 1)
    return quantile(number - 1) * (variance / number).squareRoot()
  }

  /// Whether the growth is positive with confidence.
  var isGrowth: Bool { slope > margin }

  /// Returns the quantile of Student's t-distribution for a two-sided interval at 99.9 %.
  ///
  /// Uses the Cornish–Fisher expansion around the normal quantile. For 6 or more degrees of
  /// freedom, the result is less than 2 % too small.
  private static func quantile(_ freedom: Double) -> Double {
    let z = 3.290527
    let (z3, z5, z7) = (z * z * z, z * z * z * z * z, z * z * z * z * z * z * z)
    let first = (z3 + z) / 4
    let second = (5 * z5 + 16 * z3 + 3 * z) / 96
    let third = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384
    return z + (first + (second + third / freedom) / freedom) / freedom
  }

  /// Returns the trend of counts that grow linearly; nil if they do not.
  ///
  /// Growth is linear if the later half of the counts also grows, by at least half the rate of all
  /// counts. The growth of a cache that fills up slows down instead.
  static func linear(_ counts: [Int]) -> GrowthTrend? {
    let (all, later) = (GrowthTrend(counts), GrowthTrend(counts.suffix(counts.count / 2)))
    return all.isGrowth && later.isGrowth && later.slope >= all.slope / 2 ? all : nil
  }
}

/// The numbers of live objects of each type after each round, and the types that grow.
struct GrowthRounds<Subject: Hashable> {
  /// A type that grows linearly.
  struct Growth {
    let subject: Subject
    /// The trend of the last rounds.
    let trend: GrowthTrend
    /// The count after the warm-up.
    let first: Int
    let last: Int
  }

  private let rounds: Int
  private let warmUp: Int
  private var counts: [Subject: [Int]] = [:]
  private var done = 0
  private var suspects: Set<Subject>?

  /// Creates an empty record.
  ///
  /// - Parameter rounds: The number of rounds after the warm-up. The confirmation has twice as
  ///   many.
  init(rounds: Int) {
    self.rounds = rounds
    warmUp = max(2, rounds / 4)
  }

  private var measured: Int { warmUp + rounds }
  private var most: Int { measured + 2 * rounds }

  /// Whether the result needs another round.
  ///
  /// The rounds of the confirmation are needed only if a type seems to grow.
  var needsRound: Bool {
    done < measured || done < most && suspects?.isEmpty == false
  }

  /// The number of rounds between `first` and `last` of a growth.
  var countedRounds: Int { done - warmUp }

  /// Adds the counts after a round. A type that `found` lacks has no objects.
  mutating func append(_ found: [Subject: Int]) {
    for subject in found.keys where counts[subject] == nil {
      // Reserves the final capacity: an array that reallocates would itself change the counts of
      // the heap.
      var earlier: [Int] = []
      earlier.reserveCapacity(most)
      earlier.append(contentsOf: repeatElement(0, count: done))
      counts[subject] = earlier
    }
    for subject in counts.keys { counts[subject]?.append(found[subject] ?? 0) }
    done += 1
    if done == measured { suspects = Set(counts.keys.filter { trend(of: $0) != nil }) }
  }

  /// The types that grew linearly before the confirmation and during it.
  var growing: [Growth] {
    guard done == most, let suspects else { return [] }
    return suspects.compactMap { subject in
      guard let counts = counts[subject], let before = trend(of: subject),
        let trend = GrowthTrend.linear(Array(counts[measured...])), trend.slope >= before.slope / 2
      else { return nil }
      return Growth(
        subject: subject, trend: trend, first: counts[warmUp - 1], last: counts[done - 1])
    }
  }

  /// Returns the trend of the rounds between the warm-up and the confirmation.
  private func trend(of subject: Subject) -> GrowthTrend? {
    counts[subject].flatMap { GrowthTrend.linear(Array($0[warmUp..<measured])) }
  }
}
