import Foundation
import SeededRandom

/// The probability of each key.
///
/// Their names and standard parameters are YCSB's: Cooper, Silberstein, Tam, Ramakrishnan and Sears,
/// "Benchmarking Cloud Serving Systems with YCSB", 2010, and its `CoreWorkload`.
public enum KeyDistribution: Codable, Hashable, Sendable {
  /// Every key equally often.
  case uniform

  /// Key *k* in proportion to 1 ÷ (*k* + 1)^`theta`: the first key is the hottest.
  case zipfian(theta: Double)

  /// A rank is drawn as by `zipfian`, but from ten billion, and hashed to a key.
  ///
  /// The hot keys lie anywhere, and ranks beyond the range share the keys: the hottest has about a
  /// twenty-sixth of all draws with YCSB's `theta`, however few keys there are.
  case scrambledZipfian(theta: Double)

  /// As `zipfian`, but the last key is the hottest.
  case latest(theta: Double)

  /// The first `keys` per cent of the keys get `operations` per cent of the draws; within each part all
  /// are drawn equally often.
  case hotspot(keys: Int, operations: Int)

  /// The first key, always.
  case singleKey

  /// YCSB's parameter of the zipfian distributions.
  public static let standardTheta = 0.99

  /// Each kind with its standard parameters.
  public static let standard: [KeyDistribution] = [
    .uniform, .zipfian(theta: standardTheta), .scrambledZipfian(theta: standardTheta),
    .latest(theta: standardTheta), .hotspot(keys: 20, operations: 80), .singleKey,
  ]

  /// A sequence of keys from 0 to `range - 1`, drawn before the clock starts.
  ///
  /// All workers of a trial draw from the same range, each with a seed of its own: keys of one's own
  /// would remove the very contention that is measured.
  ///
  /// - Complexity: O(`count`), eight bytes a key, whatever the range.
  public func keys(count: Int, range: Int, seed: Seed) -> [Int] {
    precondition(count >= 0, "the number of keys is not negative")
    precondition(range > 0, "there must be at least one key to draw")
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
  /// As on the command line and in CSV, with its parameters: `zipfian:0.99`, `hotspot:20/80`.
  ///
  /// Parsing it gives the same distribution.
  public var description: String {
    switch self {
    case .uniform, .singleKey: name
    case .zipfian(let theta), .scrambledZipfian(let theta), .latest(let theta): "\(name):\(theta)"
    case .hotspot(let keys, let operations): "\(name):\(keys)/\(operations)"
    }
  }

  /// The kind alone.
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
    case .hotspot: "Of a hundred, so many keys get so many draws."
    case .singleKey: "One key, always."
    }
  }

  /// Reads what `description` writes; parameters that are left out are the standard ones.
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

  /// `nil` where they are not such as it has.
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
    // Digits alone: not 1e0, 0x1 or nan.
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

/// A few keys with most of the draws.
private struct Hotspot {
  private let operations: Int
  private let hot: Int
  private let range: Int

  init(keys: Int, operations: Int, range: Int) {
    precondition((1...99).contains(keys), "the hot share of keys is from 1 to 99 per cent")
    precondition((0...100).contains(operations), "a share of draws is from 0 to 100 per cent")
    self.operations = operations
    self.range = range
    // At least one key is hot, however few there are.
    hot = max(1, Int((Double(range) * Double(keys) / 100).rounded()))
  }

  func draw(using generator: inout SplitMix64) -> Int {
    // Of one key nothing can be cold.
    if generator.number(below: 100) < operations || hot == range {
      return generator.number(below: hot)
    }
    return hot + generator.number(below: range - hot)
  }
}

/// The key of a rank in a scrambled distribution, by YCSB's hash.
enum ScrambledRank {
  /// As many ranks as YCSB scrambles.
  static let count = 10_000_000_000

  static func key(of rank: Int, range: Int) -> Int {
    Int(hash(UInt64(rank - 1)) % UInt64(range))
  }

  /// Fowler, Noll and Vo's FNV-1a of the eight bytes, the lowest first, and its magnitude.
  private static func hash(_ value: UInt64) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in 0..<8 {
      hash = (hash ^ (value >> (8 * byte) & 0xFF)) &* 0x100_0000_01B3
    }
    return Int64(bitPattern: hash).magnitude
  }
}

/// Draws ranks from 1 to *n*, the rank *k* in proportion to 1 ÷ *k*^θ.
///
/// By rejection-inversion: Hörmann and Derflinger, "Rejection-inversion to generate variates from
/// monotone discrete distributions", 1996. The continuous curve *x*^−θ is inverted, its result rounded
/// to a rank, and the little that the curve has above that rank's bar is rejected, so that the result is
/// exact for every θ above 0. YCSB draws the same distribution by the approximation of Gray and others,
/// "Quickly generating billion-record synthetic databases", 1994, which is exact for the first two
/// ranks alone, allows no θ from 1 on, and needs a sum over all ranks beforehand.
///
/// - Complexity: O(1) to make, and O(1) a draw: 1.1 tries on average, at most 1.3.
struct ZipfianRanks {
  private let count: Double
  private let theta: Double
  /// The curve's integral from 1, where a first rank begins that is as wide as its bar is high.
  private let begin: Double
  private let end: Double
  /// Up to so far from a rank on its left the bar covers the curve, whatever the rank.
  private let safeDistance: Double

  init(count: Int, theta: Double) {
    precondition(count > 0, "there is at least one rank")
    precondition(theta > 0, "theta is positive")
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
      // Rounding may leave the range by one.
      let rank = min(max(x.rounded(), 1), count)
      if rank - x <= safeDistance { return Int(rank) }
      if area >= Self.integral(rank + 0.5, theta) - Self.height(rank, theta) { return Int(rank) }
    }
  }

  /// The curve's height.
  private static func height(_ x: Double, _ theta: Double) -> Double {
    exp(-theta * log(x))
  }

  /// The curve's integral from 1 to `x`: (x^(1−θ) − 1) ÷ (1 − θ), or log x where θ is 1.
  private static func integral(_ x: Double, _ theta: Double) -> Double {
    let logarithm = log(x)
    let exponent = (1 - theta) * logarithm
    return exponent == 0 ? logarithm : logarithm * expm1(exponent) / exponent
  }

  /// Where the integral has that value.
  private static func inverse(_ area: Double, _ theta: Double) -> Double {
    // Rounding may put it a little below −1, where there is no logarithm.
    let growth = max(-1, (1 - theta) * area)
    return growth == 0 ? exp(area) : exp(area * log1p(growth) / growth)
  }
}

extension SplitMix64 {
  /// From 0 up to, but not including, 1: each multiple of 2⁻⁵³ equally likely.
  mutating func fraction() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
