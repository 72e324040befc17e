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
