import Foundation
import Testing
import Workloads

@testable import Workloads

struct KeyDistributionTests {
  private static let draws = 40_000

  @Test(arguments: KeyDistribution.standard)
  func `keys are repeatable by seed and in range`(_ distribution: KeyDistribution) throws {
    let (one, two) = (try #require(Seed(1)), try #require(Seed(2)))
    for range in [1, 2, 3, 64] {
      let keys = distribution.keys(count: 1_000, range: range, seed: one)
      #expect(keys == distribution.keys(count: 1_000, range: range, seed: one))
      let isFixed = range == 1 || distribution == .singleKey
      #expect((keys == distribution.keys(count: 1_000, range: range, seed: two)) == isFixed)
      #expect(keys.count == 1_000)
      #expect(keys.allSatisfy { (0..<range).contains($0) })
    }
  }

  @Test func `uniform draws every key equally often`() throws {
    try expect(.uniform, drawsInShares: Array(repeating: 1 / 64, count: 64))
  }

  @Test(arguments: [0.2, 0.99, 1, 1.5, 3])
  func `zipfian draws a key in proportion to its rank's power`(_ theta: Double) throws {
    try expect(.zipfian(theta: theta), drawsInShares: Self.zipfian(theta, range: 64))
  }

  @Test func `latest is zipfian from the other end`() throws {
    let shares = Self.zipfian(0.99, range: 64)
    try expect(.latest(theta: 0.99), drawsInShares: shares.reversed())
  }

  @Test func `hotspot gives the hot keys their draws, and shares them evenly`() throws {
    let shares = (0..<50).map { $0 < 10 ? 0.8 / 10 : 0.2 / 40 }
    try expect(.hotspot(keys: 20, operations: 80), drawsInShares: shares)
    let rare = (0..<50).map { $0 < 5 ? 0.1 / 5 : 0.9 / 45 }
    try expect(.hotspot(keys: 10, operations: 10), drawsInShares: rare)
  }

  @Test func `scrambled zipfian draws the keys that popular ranks are hashed to`() throws {
    // The first ranks exactly; all others, hashed, fall on every key alike.
    let (range, known) = (50, 100_000)
    var shares = Array(repeating: 0.0, count: range)
    // The sum of all, as YCSB has it.
    let zeta = 26.469_028_20
    for rank in 1...known {
      shares[ScrambledRank.key(of: rank, range: range)] += pow(Double(rank), -0.99) / zeta
    }
    let rest = 1 - shares.reduce(0, +)
    try expect(
      .scrambledZipfian(theta: 0.99), drawsInShares: shares.map { $0 + rest / Double(range) })
  }

  @Test func `a rank's key is that of YCSB's hash`() {
    // FNV-1a of eight zero bytes is 0xA8C7F832281A39C5.
    let magnitude = Int64(bitPattern: 0xA8C7_F832_281A_39C5).magnitude
    #expect(ScrambledRank.key(of: 1, range: .max) == Int(magnitude % UInt64(Int.max)))
  }

  @Test func `single key is the first, always`() throws {
    let keys = KeyDistribution.singleKey.keys(count: 5, range: 9, seed: try #require(Seed(1)))
    #expect(keys == [0, 0, 0, 0, 0])
  }

  @Test func `shares that are not those drawn are told apart`() throws {
    let keys = KeyDistribution.zipfian(theta: 0.99)
      .keys(count: Self.draws, range: 64, seed: try #require(Seed(3)))
    #expect(Self.deviation(of: keys, from: Self.zipfian(0.9, range: 64)) > 5)
  }

  private func expect(
    _ distribution: KeyDistribution, drawsInShares shares: [Double],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(abs(shares.reduce(0, +) - 1) < 1e-9, sourceLocation: sourceLocation)
    for seed in 1...3 {
      let keys = distribution.keys(
        count: Self.draws, range: shares.count, seed: try #require(Seed(UInt64(seed))))
      let deviation = Self.deviation(of: keys, from: shares)
      #expect(abs(deviation) < 3.5, "seed \(seed)", sourceLocation: sourceLocation)
    }
  }

  /// How many standard deviations Pearson's chi-square is from what it is on average.
  private static func deviation(of keys: [Int], from shares: [Double]) -> Double {
    var counts = Array(repeating: 0, count: shares.count)
    for key in keys { counts[key] += 1 }
    // Too rare ones are taken together, else their squares would be all there is.
    var cells: [(found: Double, expected: Double)] = []
    var open = (found: 0.0, expected: 0.0)
    for (count, share) in zip(counts, shares) {
      open = (open.found + Double(count), open.expected + share * Double(keys.count))
      guard open.expected >= 10 else { continue }
      cells.append(open)
      open = (0, 0)
    }
    if open.expected > 0, let last = cells.popLast() {
      cells.append((last.found + open.found, last.expected + open.expected))
    }
    let freedom = Double(cells.count - 1)
    let square = cells.reduce(0) { $0 + pow($1.found - $1.expected, 2) / $1.expected }
    return (square - freedom) / (2 * freedom).squareRoot()
  }

  private static func zipfian(_ theta: Double, range: Int) -> [Double] {
    let weights = (1...range).map { pow(Double($0), -theta) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }
}

struct KeyDistributionTextTests {
  @Test(arguments: [
    ("uniform", KeyDistribution.uniform, "uniform"),
    ("zipfian", .zipfian(theta: 0.99), "zipfian:0.99"),
    ("zipfian:1", .zipfian(theta: 1), "zipfian:1.0"),
    ("scrambled-zipfian:0.5", .scrambledZipfian(theta: 0.5), "scrambled-zipfian:0.5"),
    ("latest", .latest(theta: 0.99), "latest:0.99"),
    ("hotspot", .hotspot(keys: 20, operations: 80), "hotspot:20/80"),
    ("hotspot:1/99", .hotspot(keys: 1, operations: 99), "hotspot:1/99"),
    ("single-key", .singleKey, "single-key"),
  ])
  func `what is typed is a distribution, and its text that again`(
    _ typed: String, _ expected: KeyDistribution, _ text: String
  ) throws {
    let distribution = try KeyDistribution(parsing: typed)
    #expect(distribution == expected)
    #expect(distribution.description == text)
    #expect(try KeyDistribution(parsing: text) == expected)
    #expect(distribution.summary.hasSuffix("."))
  }

  @Test(arguments: [
    "uniform:1", "zipfian:", "zipfian:0", "zipfian:-1", "zipfian:11", "zipfian:1e0", "zipfian:nan",
    "zipfian:0.5:1", "hotspot:20", "hotspot:0/80", "hotspot:100/80", "hotspot:20/101",
    "hotspot:20/80/1", "hotspot:/", "single-key:3",
  ])
  func `parameters that are not allowed are refused with those that are`(_ text: String) throws {
    let error = WorkloadError.malformedKeyDistribution(text)
    #expect(throws: error) { try KeyDistribution(parsing: text) }
    #expect(
      error.description.hasPrefix("'\(text)' is not a distribution (allowed: uniform, zipfian:"))
  }

  @Test(arguments: ["zipfain", "zipf", ""])
  func `an unknown name is refused with the nearest`(_ text: String) throws {
    let error = WorkloadError.unknownKeyDistribution(text)
    #expect(throws: error) { try KeyDistribution(parsing: text) }
    let meant = text.isEmpty ? "" : "; did you mean zipfian?"
    #expect(
      error.description == "unknown distribution '\(text)'\(meant) "
        + "(allowed: uniform, zipfian, scrambled-zipfian, latest, hotspot, single-key)")
  }
}
