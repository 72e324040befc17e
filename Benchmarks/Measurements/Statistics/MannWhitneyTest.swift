#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// Whether the values of one sample tend to be greater than those of another.
///
/// Mann and Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than
/// the Other", 1947. It asks for independent values and for no normal distribution, which times are far from.
///
/// Trials of two series that share run, number and seed were made in one shuffled round, with
/// the same keys. They are not paired all the same. A round lasts minutes, and what the keys are matters
/// little: in the committed rows, what a backend's trial is off its mean does not correlate with what
/// another's in the same round is (−0.01 over 680 pairs). So pairing would remove no noise, but half of the
/// evidence: of five pairs no order is rarer than 1 in 16, of five against five 1 in 126. And were rounds to
/// correlate, the unpaired test would err on the side of not telling.
public struct MannWhitneyTest: Hashable, Sendable {
  /// For how many pairs the first is the greater; half a pair where they are equal.
  public let u: Double
  /// How probable it is to see samples at least as far apart, on either side, if there is no difference.
  public let pValue: Double

  /// With more values together, the normal approximation is good to three digits.
  static let mostValuesCounted = 40

  /// Counts all arrangements of few values, equal ones too, and approximates with a correction for equal
  /// values for many; `nil` if a sample is empty.
  ///
  /// - Precondition: no value is NaN.
  public init?(_ first: [Double], _ second: [Double]) {
    precondition(!(first + second).contains(where: \.isNaN), "NaN has no place in an order")
    guard !first.isEmpty, !second.isEmpty else { return nil }
    let ranks = MidRanks(first, second)
    let sum = ranks.first.reduce(0, +)
    u = Double(sum - first.count * (first.count + 1)) / 2
    pValue =
      first.count + second.count <= Self.mostValuesCounted
      ? Self.counted(sum, ranks) : Self.approximated(u, ranks)
  }

  /// The least p-value that samples of these sizes can have: how much so few values can ever tell.
  public static func leastPValue(_ first: Int, _ second: Int) -> Double {
    guard first > 0, second > 0 else { return 1 }
    let arrangements = (1...min(first, second)).reduce(1.0) { product, index in
      product * Double(max(first, second) + index) / Double(index)
    }
    return min(1, 2 / arrangements)
  }

  private static func counted(_ sum: Int, _ ranks: MidRanks) -> Double {
    let chosen = ranks.first.count
    let count = chosen + ranks.second.count
    return RankSumDistribution(ofChoosing: chosen, from: ranks.first + ranks.second)
      .probability(atLeastAsFarAs: sum, fromTwiceTheMiddle: 2 * chosen * (count + 1))
  }

  /// With a correction for continuity, as R and SciPy make it.
  private static func approximated(_ u: Double, _ ranks: MidRanks) -> Double {
    let pairs = Double(ranks.first.count * ranks.second.count)
    let count = Double(ranks.first.count + ranks.second.count)
    let ties = ranks.tieSizes.reduce(0.0) { $0 + Double($1) * (Double($1) * Double($1) - 1) }
    let variance = pairs / 12 * (count + 1 - ties / (count * (count - 1)))
    guard variance > 0 else { return 1 }
    let distance = max(0, abs(u - pairs / 2) - 0.5)
    return erfc(distance / (2 * variance).squareRoot())
  }
}

/// The ranks of the values of two samples in their common order, doubled.
///
/// Equal values share the mean of their ranks; doubled, all ranks are whole numbers.
struct MidRanks {
  /// Of the values of the first sample, in its order.
  let first: [Int]
  /// Of the values of the second sample, in its order.
  let second: [Int]
  /// How many values share a place, for each place that is shared or not.
  let tieSizes: [Int]

  init(_ first: [Double], _ second: [Double]) {
    let sorted = (first + second).sorted()
    var places: [Double: Int] = [:]
    var tieSizes: [Int] = []
    var start = 0
    while start < sorted.count {
      let end = sorted[start...].firstIndex { $0 != sorted[start] } ?? sorted.count
      // The places from start + 1 to end: twice their mean.
      places[sorted[start]] = start + 1 + end
      tieSizes.append(end - start)
      start = end
    }
    self.first = first.map { places[$0, default: 0] }
    self.second = second.map { places[$0, default: 0] }
    self.tieSizes = tieSizes
  }
}

/// The distribution of the rank sum of one sample if both are drawn from the same population.
struct RankSumDistribution {
  /// By sum; a Double holds the binomial coefficients that occur here exactly.
  private let ways: [Double]

  /// Counted by taking the ranks one after the other, each chosen or not.
  ///
  /// - Complexity: O(*n* × `chosen` × sum of the ranks).
  init(ofChoosing chosen: Int, from ranks: [Int]) {
    let greatest = ranks.sorted().suffix(chosen).reduce(0, +)
    let width = greatest + 1
    // One row after the other: ways[count * width + sum].
    var ways = [Double](repeating: 0, count: (chosen + 1) * width)
    ways[0] = 1
    for (taken, rank) in ranks.enumerated() {
      for count in stride(from: min(taken + 1, chosen), to: 0, by: -1) {
        for sum in stride(from: greatest, through: rank, by: -1) {
          ways[count * width + sum] += ways[(count - 1) * width + sum - rank]
        }
      }
    }
    self.ways = Array(ways[(chosen * width)...])
  }

  /// How probable a sum at least as far from the middle is, on either side.
  func probability(atLeastAsFarAs sum: Int, fromTwiceTheMiddle middle: Int) -> Double {
    let distance = abs(2 * sum - middle)
    let far = ways.indices.reduce(0) { total, other in
      abs(2 * other - middle) >= distance ? total + ways[other] : total
    }
    return far / ways.reduce(0, +)
  }
}

/// Adjusts the p-values of many comparisons for multiple testing.
///
/// Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979. If those with an adjusted
/// p-value of at most α are called different, the probability of even one false call among
/// all is at most α, however they depend on each other.
public enum HolmCorrection {
  /// The adjusted p-values, in the order given.
  ///
  /// - Precondition: all are from 0 to 1.
  public static func adjusted(_ pValues: [Double]) -> [Double] {
    precondition(pValues.allSatisfy((0...1).contains), "a p-value is from 0 to 1")
    var result = pValues
    var greatest = 0.0
    let order = pValues.indices.sorted { pValues[$0] < pValues[$1] }
    for (place, index) in order.enumerated() {
      greatest = max(greatest, min(1, Double(pValues.count - place) * pValues[index]))
      result[index] = greatest
    }
    return result
  }
}

/// How far apart two samples are, whatever the units.
///
/// Cliff, "Dominance statistics: Ordinal analyses to answer ordinal questions", 1993. Vargha and
/// Delaney's A is half of it and a half; this one has the sign of the change.
public enum CliffsDelta {
  /// 1 if every value of the first is greater than every one of the second, −1 if it is smaller,
  /// 0 if neither tends to be; `nil` if a sample is empty.
  public static func of(_ first: [Double], over second: [Double]) -> Double? {
    guard !first.isEmpty, !second.isEmpty else { return nil }
    let balance = first.reduce(0) { total, value in
      total + second.reduce(0) { $0 + (value > $1 ? 1 : value < $1 ? -1 : 0) }
    }
    return Double(balance) / Double(first.count * second.count)
  }
}
