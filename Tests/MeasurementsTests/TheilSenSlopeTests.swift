import Measurements
import SeededTesting
import Testing

struct TheilSenSlopeTests {
  @Test func `points on a line have its slope, and no doubt`() throws {
    let slope = try #require(TheilSenSlope(of: (0..<30).map { (Double($0), 3 - 0.5 * Double($0)) }))
    #expect(slope.slope == -0.5)
    #expect(slope.interval == -0.5...(-0.5))
  }

  @Test func `points that stay where they are have none`() throws {
    let slope = try #require(TheilSenSlope(of: (0..<30).map { (Double($0), 7) }))
    #expect(slope.slope == 0)
    #expect(slope.interval == 0...0)
  }

  @Test func `a fifth of wild points does not turn the line`() throws {
    let points = (0..<50).map { x in
      (Double(x), x.isMultiple(of: 5) ? 1e6 * Double(x) : 2 * Double(x))
    }
    #expect(abs(try #require(TheilSenSlope(of: points)).slope - 2) < 1e-9)
  }

  @Test func `too few places say nothing`() {
    #expect(TheilSenSlope(of: []) == nil)
    #expect(TheilSenSlope(of: [(0, 1), (1, 2)]) == nil)
    #expect(TheilSenSlope(of: [(0, 1), (1, 2), (1, 3), (0, 4)]) == nil)
  }

  /// As R's `mblm` and SciPy's `theilslopes` do for these points.
  @Test func `the median of the ten slopes of five points`() throws {
    let slope = try #require(
      TheilSenSlope(of: [(1, 1), (2, 3), (3, 2), (4, 6), (5, 5)]))
    // 2, 1/2, 5/3, 1, -1, 3/2, 1, 4, 3/2, -1.
    #expect(slope.slope == 1.25)
    #expect(slope.interval == -1...4)
  }

  @Test func `the interval holds the slope of noisy points about 99 times in 100`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let held = try (0..<200).count { _ in
      let points = (0..<60).map { x in
        (Double(x), 0.25 * Double(x) + Double.random(in: -20...20, using: &generator))
      }
      return try #require(TheilSenSlope(of: points)).interval.contains(0.25)
    }
    #expect(held >= 192, "seed \(TestOptions.seed)")
  }
}
