import SeededRandom
import Testing

@testable import LeakTesting

struct GrowthTrendTests {
  @Test func `the trend of a line is its slope, without a margin`() {
    let trend = GrowthTrend((0..<20).map { 7 + 3 * $0 })
    #expect(abs(trend.slope - 3) < 1e-12 && trend.margin < 1e-9 && trend.isGrowth)
    #expect(!GrowthTrend(Array(repeating: 7, count: 20)).isGrowth)
    #expect(!GrowthTrend((0..<20).map { 100 - $0 }).isGrowth)
  }

  @Test func `the margin is that of Student's distribution at 99.9 %`() {
    // Slope 0.0727 with a standard error of 0.0364 for residuals of 8 degrees of freedom, for which
    // tables have the quantile 5.041.
    let counts = [0, 1, 0, 1, 0, 1, 0, 1, 1, 1]
    let trend = GrowthTrend(counts)
    let mean = 0.6
    let slope = counts.enumerated().reduce(0) { $0 + (Double($1.0) - 4.5) * Double($1.1) } / 82.5
    let rest = counts.enumerated().reduce(0.0) { sum, point in
      let residual = Double(point.1) - mean - slope * (Double(point.0) - 4.5)
      return sum + residual * residual
    }
    let error = (rest / 8 / 82.5).squareRoot()
    #expect(abs(trend.slope - slope) < 1e-12)
    #expect(abs(trend.margin / error - 5.041) < 0.05)
  }

  @Test func `growth that slows down, and a single step, are not linear`() {
    #expect(GrowthTrend.linear((0..<20).map { $0 }) != nil)
    #expect(GrowthTrend.linear((0..<20).map { min($0, 10) }) == nil)
    #expect(GrowthTrend.linear((0..<20).map { 1000 - 1000 / ($0 + 1) }) == nil)
    for step in 0...20 {
      #expect(GrowthTrend.linear((0..<20).map { $0 < step ? 0 : 1 }) == nil, "\(step)")
    }
  }
}

extension GrowthTrendTests {
  @Test func `a random walk is growth in fewer than one of a hundred cases`() {
    var random = SplitMix64(seed: 7)
    var growing = 0
    for _ in 0..<1000 {
      var length = 1000
      let counts = (0..<40).map { _ in
        length += random.next() % 2 == 0 ? 5 : -5
        return length
      }
      growing += GrowthTrend(counts).isGrowth ? 1 : 0
    }
    #expect(growing < 10, "\(growing)")
  }

  @Test func `growth in noise is growth`() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<1000 {
      let counts = (0..<40).map { 20 * $0 + Int(random.next() % 40) }
      #expect(GrowthTrend(counts).isGrowth)
    }
  }
}

struct GrowthRoundsTests {
  /// Feeds counts until no more are needed; returns the number of rounds, and the growing types.
  private func outcome(_ count: (Int) -> [String: Int]) -> (rounds: Int, growing: [String]) {
    var rounds = GrowthRounds<String>(rounds: 20)
    var number = 0
    while rounds.needsRound {
      rounds.append(count(number))
      number += 1
    }
    return (number, rounds.growing.map(\.subject).sorted())
  }

  @Test func `steady counts need no confirmation`() {
    let (rounds, growing) = outcome { _ in ["a": 5, "b": 0] }
    #expect(rounds == 25 && growing.isEmpty)
  }

  @Test func `growth is confirmed, also of a type that appears late`() {
    let (rounds, growing) = outcome { round in
      round < 3 ? ["steady": 5] : ["steady": 5, "grows": round, "slowly": round / 3]
    }
    #expect(rounds == 65 && growing == ["grows", "slowly"])
  }

  @Test func `growth that ends, or continues at less than half the rate, is not reported`() {
    #expect(outcome { ["filled": min($0, 30)] } == (65, []))
    #expect(outcome { ["slower": $0 < 25 ? 10 * $0 : 250 + 4 * ($0 - 25)] } == (65, []))
    #expect(outcome { ["goes": $0 < 25 ? $0 : 0] } == (65, []))
  }

  @Test func `the counts of a growth are those after the warm-up and at the end`() throws {
    var rounds = GrowthRounds<String>(rounds: 20)
    var number = 0
    while rounds.needsRound {
      rounds.append(["grows": 100 + 2 * number])
      number += 1
    }
    let growth = try #require(rounds.growing.first)
    #expect(growth.first == 108 && growth.last == 228 && rounds.countedRounds == 60)
    #expect(abs(growth.trend.slope - 2) < 1e-9)
  }
}
