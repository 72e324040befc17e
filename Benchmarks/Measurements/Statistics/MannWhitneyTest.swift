#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// A test of whether the values of one sample tend to be greater than those of another.
///
/// Mann and Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger
/// than the Other", 1947. The test assumes independent values, but not a normal distribution, from
/// which times are far.
///
/// Trials of two series with the same run, number and seed belong to one shuffled round and draw
/// the same keys. The test nevertheless does not pair them. A round lasts minutes, and the drawn
/// keys matter little: in the committed rows, the deviations of two backends in the same round from
/// their means do not correlate. Pairing would therefore remove no noise, but half of the evidence:
/// the rarest order of five pairs has probability 1 in 16, that of five against five values 1 in
/// 126. If rounds did correlate, the unpaired test would be conservative.
public struct MannWhitneyTest: Hashable, Sendable {
  /// The number of pairs in which the first value is the greater; equal values count one half.
  public let u: Double
  /// The probability of samples at least this far apart, in either direction, if the two
  /// populations do not differ.
  public let pValue: Double

  /// The largest total number of values for which the test counts arrangements.
  ///
  /// For more values, the normal approximation is accurate to three digits.
  static let mostValuesCounted = 40

  /// Compares two samples, or returns `nil` if one is empty.
  ///
  /// For few values it counts all arrangements, including ties. For many it uses the normal
  /// approximation with a correction for ties. Traps if a value is NaN.
  public init?(_ first: [Double], _ second: [Double]) {
    precondition(
      !(first + second).contains(where: \.isNaN), "a sample contains NaN; remove it first")
    guard !first.isEmpty, !second.isEmpty else { return nil }
    let ranks = MidRanks(first, second)
    let sum = ranks.first.reduce(0, +)
    u = Double(sum - first.count * (first.count + 1)) / 2
    pValue =
      first.count + second.count <= Self.mostValuesCounted
      ? Self.counted(sum, ranks) : Self.approximated(u, ranks)
  }

  /// Returns the smallest p-value that samples of these sizes can have, 1 if one is empty.
  ///
  /// No test of so few values can give stronger evidence.
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

  /// Returns the p-value by the normal approximation, with a continuity correction as in R and
  /// SciPy.
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
/// Equal values share the mean of their ranks; doubling makes all ranks whole numbers.
struct MidRanks {
  /// The doubled ranks of the first sample, in its order.
  let first: [Int]
  /// The doubled ranks of the second sample, in its order.
  let second: [Int]
  /// The number of equal values in each group of equal values; 1 for a unique value.
  let tieSizes: [Int]

  init(_ first: [Double], _ second: [Double]) {
    let sorted = (first + second).sorted()
    var places: [Double: Int] = [:]
    var tieSizes: [Int] = []
    var start = 0
    while start < sorted.count {
      let end = sorted[start...].firstIndex { $0 != sorted[start] } ?? sorted.count
      // The values have ranks start + 1 to end; this is twice the mean.
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
  /// The number of choices with each sum; `Double` represents these binomial coefficients exactly.
  private let ways: [Double]

  /// Counts the ways to choose `chosen` of `ranks`, by sum.
  ///
  /// Dynamic programming: each rank in turn is chosen or not.
  ///
  /// - Complexity: O(*n* × `chosen` × sum of the ranks).
  init(ofChoosing chosen: Int, from ranks: [Int]) {
    let greatest = ranks.sorted().suffix(chosen).reduce(0, +)
    let width = greatest + 1
    // A matrix in one array, row by row: ways[count * width + sum].
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

  /// Returns the probability of a sum at least as far from the middle as `sum`, in either
  /// direction.
  func probability(atLeastAsFarAs sum: Int, fromTwiceTheMiddle middle: Int) -> Double {
    let distance = abs(2 * sum - middle)
    let far = ways.indices.reduce(0) { total, other in
      abs(2 * other - middle) >= distance ? total + ways[other] : total
    }
    return far / ways.reduce(0, +)
  }
}

/// Holm's adjustment of the p-values of many comparisons for multiple testing.
///
/// Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979. If every comparison with
/// an adjusted p-value of at most α is called different, the probability of one or more false calls
/// is at most α, for any dependence between the comparisons.
public enum HolmCorrection {
  /// Returns the adjusted p-values, in the given order.
  ///
  /// Traps if a p-value is not from 0 to 1.
  public static func adjusted(_ pValues: [Double]) -> [Double] {
    precondition(
      pValues.allSatisfy((0...1).contains), "p-values must be from 0 to 1, got \(pValues)")
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

/// Cliff's delta: the distance between two samples, independent of units.
///
/// Cliff, "Dominance statistics: Ordinal analyses to answer ordinal questions", 1993. Vargha and
/// Delaney's A is (δ + 1) ÷ 2; δ has the sign of the change.
public enum CliffsDelta {
  /// Returns δ of two samples.
  ///
  /// - Returns: 1 if every value of the first is greater than every value of the second, −1 if
  ///   every one is smaller, 0 if neither tends to be greater, and `nil` if a sample is empty.
  /// - Complexity: O(*n* × *m*).
  public static func of(_ first: [Double], over second: [Double]) -> Double? {
    guard !first.isEmpty, !second.isEmpty else { return nil }
    let balance = first.reduce(0) { total, value in
      total + second.reduce(0) { $0 + (value > $1 ? 1 : value < $1 ? -1 : 0) }
    }
    return Double(balance) / Double(first.count * second.count)
  }
}
