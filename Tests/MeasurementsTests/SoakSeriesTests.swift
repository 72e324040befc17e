import Measurements
import SeededTesting
import Testing

struct SoakSeriesTests {
  /// 100 samples, 1,000 operations apart.
  private func series(_ liveBytes: (_ sample: Int) -> Int) -> SoakSeries {
    var series = SoakSeries()
    for number in 0..<100 {
      series.append(
        .init(
          seconds: Double(number), operations: 1000 * (number + 1), liveBytes: liveBytes(number)))
    }
    return series
  }

  @Test func `what stays is flat, what grows while it warms up too`() {
    #expect(series { _ in 4096 }.trend == .flat)
    #expect(series { min($0, 20) * 100_000 }.trend == .flat)
  }

  @Test func `a leak is found among much greater steps, with its bytes per operation`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let leaking = series { sample in 500 * sample + Int.random(in: 0...60_000, using: &generator) }
    #expect(leaking.trend == .growing, "seed \(TestOptions.seed)")
    let slope = try #require(leaking.bytesPerOperation)
    #expect(slope.interval.contains(0.5), "seed \(TestOptions.seed)")
  }

  @Test func `the same steps without a leak are flat`() {
    for seed in 0..<50 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let trend = series { _ in Int.random(in: 0...60_000, using: &generator) }.trend
      // One in 200 would be no wonder; that none is depends on the seeds alone.
      #expect(trend == .flat, "seed \(seed)")
    }
  }

  @Test func `less than a cache line a sample is nobody's leak`() {
    #expect(series { 63 * $0 }.trend == .flat)
    #expect(series { 70 * $0 }.trend == .growing)
  }

  @Test func `what shrinks is not growing`() {
    #expect(series { -10_000 * $0 }.trend == .flat)
  }

  @Test func `too few samples decide nothing`() {
    var series = SoakSeries()
    for number in 0..<24 {
      series.append(.init(seconds: 0, operations: number, liveBytes: 1_000_000 * number))
    }
    #expect(series.counted.count == 19)
    #expect(series.trend == .undecided)
    #expect(series.bytesPerOperation == nil)
  }
}

struct TheilSenSlopeTests {
  @Test func `points on a line have its slope, and no doubt`() throws {
    let points = (0..<30).map { x -> (Double, Double) in (Double(x), 3 - 0.5 * Double(x)) }
    let slope = try #require(TheilSenSlope(of: points))
    #expect(slope.slope == -0.5)
    #expect(slope.interval == -0.5...(-0.5))
  }

  @Test func `points that stay where they are have none`() throws {
    let slope = try #require(TheilSenSlope(of: (0..<30).map { (Double($0), 7) }))
    #expect(slope.slope == 0)
    #expect(slope.interval == 0...0)
  }

  @Test func `a fifth of wild points does not turn the line`() throws {
    let points = (0..<50).map { x -> (Double, Double) in
      let factor: Double = x.isMultiple(of: 5) ? 1e6 : 2
      return (Double(x), factor * Double(x))
    }
    let slope = try #require(TheilSenSlope(of: points))
    #expect(abs(slope.slope - 2) < 1e-9)
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
