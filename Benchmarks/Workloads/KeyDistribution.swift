import Foundation
import SeededRandom

/// The probability of each key.
///
/// The names and standard parameters are YCSB's: Cooper, Silberstein, Tam, Ramakrishnan and Sears,
/// "Benchmarking Cloud Serving Systems with YCSB", 2010, and its `CoreWorkload`.
public enum KeyDistribution: Codable, Hashable, Sendable {
  /// Every key is equally likely.
  case uniform

  /// The probability of key *k* is proportional to 1 ÷ (*k* + 1)^`theta`: the first key is the
  /// hottest.
  case zipfian(theta: Double)

  /// The key is the hash of a zipfian rank, drawn from ten billion ranks.
  ///
  /// The hot keys are spread over the whole range. Many ranks hash to the same key, so with YCSB's
  /// `theta` the hottest key gets about 1 in 26 draws even if there are few keys.
  case scrambledZipfian(theta: Double)

  /// The mirror image of `zipfian`: the last key is the hottest.
  case latest(theta: Double)

  /// The first `keys` percent of the keys get `operations` percent of the draws.
  ///
  /// The hot keys are equally likely, and so are the cold ones.
  case hotspot(keys: Int, operations: Int)

  /// Every draw is the first key.
  case singleKey

  /// The exponent that YCSB uses for the zipfian distributions.
  public static let standardTheta = 0.99

  /// Every kind of distribution, with its standard parameters.
  public static let standard: [KeyDistribution] = [
    .uniform, .zipfian(theta: standardTheta), .scrambledZipfian(theta: standardTheta),
    .latest(theta: standardTheta), .hotspot(keys: 20, operations: 80), .singleKey,
  ]

  /// Returns a sequence of keys from 0 to `range - 1`, drawn before the clock starts.
  ///
  /// All workers of a trial draw from the same range, each with its own seed. A separate range for
  /// each worker would remove the contention that the trial measures.
  ///
  /// - Parameters:
  ///   - count: The number of draws; traps if it is negative.
  ///   - range: The number of keys to draw from; traps unless it is positive.
  ///   - seed: The seed; the same seed gives the same keys.
  /// - Complexity: O(`count`), independent of `range`; eight bytes per draw.
  package func keys(count: Int, range: Int, seed: Seed) -> [Int] {
    guard count >= 0 else { fatalError("count must not be negative, got \(count)") }
    guard range > 0 else { fatalError("range must be positive, got \(range)") }
    var generator = SplitMix64(seed: seed)
    switch self {
    case .uniform:
      return (0..<count).map { _ in generator.number(below: range) }
    case .zipfian(let theta):
      let ranks = ZipfianRanks(count: range, theta: theta)
      return (0..<count).map { _ in ranks.draw(using: &generator) - 1 }
    case .scrambledZipfian(let theta):
      let ranks = ZipfianRanks(count: ScrambledRank.count, theta: theta)
      return (0..<count).map { _ in
        ScrambledRank.key(of: ranks.draw(using: &generator), range: range)
      }
    case .latest(let theta):
      let ranks = ZipfianRanks(count: range, theta: theta)
      return (0..<count).map { _ in range - ranks.draw(using: &generator) }
    case .hotspot(let keys, let operations):
      let spot = Hotspot(keys: keys, operations: operations, range: range)
      return (0..<count).map { _ in spot.draw(using: &generator) }
    case .singleKey:
      return Array(repeating: 0, count: count)
    }
  }
}

extension KeyDistribution: CustomStringConvertible {
  /// The name and parameters, as in CSV and on the command line: `zipfian:0.99`, `hotspot:20/80`.
  ///
  /// `init(parsing:)` restores the same distribution.
  public var description: String {
    switch self {
    case .uniform, .singleKey: name
    case .zipfian(let theta), .scrambledZipfian(let theta), .latest(let theta): "\(name):\(theta)"
    case .hotspot(let keys, let operations): "\(name):\(keys)/\(operations)"
    }
  }

  /// The name without parameters.
  public var name: String {
    switch self {
    case .uniform: "uniform"
    case .zipfian: "zipfian"
    case .scrambledZipfian: "scrambled-zipfian"
    case .latest: "latest"
    case .hotspot: "hotspot"
    case .singleKey: "single-key"
    }
  }

  /// One sentence for `list`.
  public var summary: String {
    switch self {
    case .uniform: "Every key equally often."
    case .zipfian: "Key k as often as 1 ÷ (k + 1)^θ; θ from 0.01 to 10."
    case .scrambledZipfian: "As YCSB: a zipfian rank among ten billion, hashed to a key."
    case .latest: "Zipfian from the other end: the last key is the hottest."
    case .hotspot: "The first percentage of the keys gets the second percentage of the draws."
    case .singleKey: "Every draw is the same key."
    }
  }

  /// Creates a distribution from text such as `zipfian:0.99`, the format of `description`.
  ///
  /// - Parameter text: A name, optionally followed by a colon and parameters; without them, the
  ///   distribution has its standard parameters.
  /// - Throws: `WorkloadError.unknownKeyDistribution` for an unknown name, and
  ///   `WorkloadError.malformedKeyDistribution` for parameters out of range.
  public init(parsing text: String) throws(WorkloadError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let standard = Self.standard.first(where: { $0.name == name }) else {
      throw .unknownKeyDistribution(name)
    }
    self = standard
    guard parts.count == 2 else { return }
    guard let distribution = standard.with(parameters: parts[1]) else {
      throw .malformedKeyDistribution(text)
    }
    self = distribution
  }

  /// Returns a distribution of this kind with the parameters in `text`, or `nil` if this kind does
  /// not accept them.
  private func with(parameters text: Substring) -> KeyDistribution? {
    switch self {
    case .uniform, .singleKey: nil
    case .zipfian: Self.theta(text).map { .zipfian(theta: $0) }
    case .scrambledZipfian: Self.theta(text).map { .scrambledZipfian(theta: $0) }
    case .latest: Self.theta(text).map { .latest(theta: $0) }
    case .hotspot: Self.hotspot(text)
    }
  }

  private static func theta(_ text: Substring) -> Double? {
    // Only decimal digits: `Double` would also accept 1e0, 0x1 and nan.
    guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let theta = Double(text),
      (0.01...10).contains(theta)
    else { return nil }
    return theta
  }

  private static func hotspot(_ text: Substring) -> KeyDistribution? {
    let shares = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard shares.count == 2, let keys = shares[0], let operations = shares[1],
      (1...99).contains(keys), (0...100).contains(operations)
    else { return nil }
    return .hotspot(keys: keys, operations: operations)
  }
}

/// A distribution in which a few keys get most of the draws.
private struct Hotspot {
  private let operations: Int
  private let hot: Int
  private let range: Int

  init(keys: Int, operations: Int, range: Int) {
    guard (1...99).contains(keys) else {
      fatalError("the percentage of hot keys must be 1 to 99, got \(keys)")
    }
    guard (0...100).contains(operations) else {
      fatalError("the percentage of draws must be 0 to 100, got \(operations)")
    }
    self.operations = operations
    self.range = range
    // At least one key is hot, even in a tiny range.
    hot = max(1, Int((Double(range) * Double(keys) / 100).rounded()))
  }

  func draw(using generator: inout SplitMix64) -> Int {
    // If every key is hot, there is no cold key to draw.
    if generator.number(below: 100) < operations || hot == range {
      return generator.number(below: hot)
    }
    return hot + generator.number(below: range - hot)
  }
}

/// The mapping from ranks to keys of a scrambled distribution, by YCSB's hash.
enum ScrambledRank {
  /// The number of ranks, the same as in YCSB.
  static let count = 10_000_000_000

  static func key(of rank: Int, range: Int) -> Int {
    Int(hash(UInt64(rank - 1)) % UInt64(range))
  }

  /// Returns the magnitude of the FNV-1a hash (Fowler, Noll and Vo) of the eight bytes, lowest
  /// first.
  private static func hash(_ value: UInt64) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in 0..<8 {
      hash = (hash ^ (value >> (8 * byte) & 0xFF)) &* 0x100_0000_01B3
    }
    return Int64(bitPattern: hash).magnitude
  }
}

/// A zipfian distribution of ranks from 1 to *n*: the probability of rank *k* is proportional to
/// 1 ÷ *k*^θ.
///
/// The algorithm is rejection-inversion: Hörmann and Derflinger, "Rejection-inversion to generate
/// variates from monotone discrete distributions", 1996. It inverts the integral of the continuous
/// curve *x*^−θ, rounds the result to a rank, and rejects the small area between the curve and the
/// top of that rank's bar. The result is exact for every θ above 0.
///
/// YCSB draws from the same distribution with the approximation of Gray and others, "Quickly
/// generating billion-record synthetic databases", 1994. That one is exact only for the first two
/// ranks, requires θ below 1, and needs a sum over all ranks beforehand.
///
/// - Complexity: O(1) to create and O(1) per draw, with 1.1 tries on average and at most 1.3
///   expected.
struct ZipfianRanks {
  private let count: Double
  private let theta: Double
  /// The lower end of the range of areas: the area of the first rank equals the height of its bar.
  private let begin: Double
  /// The upper end of the range of areas, at the right edge of the last rank's bar.
  private let end: Double
  /// A distance to the left of a rank within which the bar covers the curve, for every rank.
  private let safeDistance: Double

  init(count: Int, theta: Double) {
    guard count > 0 else { fatalError("count must be positive, got \(count)") }
    guard theta > 0 else { fatalError("theta must be positive, got \(theta)") }
    self.count = Double(count)
    self.theta = theta
    begin = Self.integral(1.5, theta) - 1
    end = Self.integral(Double(count) + 0.5, theta)
    safeDistance = 2 - Self.inverse(Self.integral(2.5, theta) - Self.height(2, theta), theta)
  }

  func draw(using generator: inout SplitMix64) -> Int {
    while true {
      let area = end + generator.fraction() * (begin - end)
      let x = Self.inverse(area, theta)
      // Rounding errors may put the rank outside the range, by at most one.
      let rank = min(max(x.rounded(), 1), count)
      if rank - x <= safeDistance { return Int(rank) }
      if area >= Self.integral(rank + 0.5, theta) - Self.height(rank, theta) { return Int(rank) }
    }
  }

  /// Returns the height of the curve at `x`.
  private static func height(_ x: Double, _ theta: Double) -> Double {
    exp(-theta * log(x))
  }

  /// Returns the integral of the curve from 1 to `x`: (x^(1−θ) − 1) ÷ (1 − θ), or log x if θ is 1.
  private static func integral(_ x: Double, _ theta: Double) -> Double {
    let logarithm = log(x)
    let exponent = (1 - theta) * logarithm
    return exponent == 0 ? logarithm : logarithm * expm1(exponent) / exponent
  }

  /// Returns the point at which the integral equals `area`.
  private static func inverse(_ area: Double, _ theta: Double) -> Double {
    // Rounding errors may put it below −1, where the logarithm is undefined.
    let growth = max(-1, (1 - theta) * area)
    return growth == 0 ? exp(area) : exp(area * log1p(growth) / growth)
  }
}

extension SplitMix64 {
  /// Returns a number from 0 up to, but not including, 1; every multiple of 2⁻⁵³ is equally likely.
  mutating func fraction() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
