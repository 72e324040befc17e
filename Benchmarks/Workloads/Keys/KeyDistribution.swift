import SeededRandom

/// How often each key is drawn.
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
