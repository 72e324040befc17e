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
    #expect(series { _ in 4096 }.verdict == .flat)
    #expect(series { min($0, 20) * 100_000 }.verdict == .flat)
  }

  @Test func `a leak is found among much greater steps, with its bytes per operation`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let leaking = series { sample in 500 * sample + Int.random(in: 0...60_000, using: &generator) }
    #expect(leaking.verdict == .growing, "seed \(TestOptions.seed)")
    let slope = try #require(leaking.bytesPerOperation)
    #expect(slope.interval.contains(0.5), "seed \(TestOptions.seed)")
  }

  @Test func `the same steps without a leak are flat`() {
    for seed in 0..<50 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let verdict = series { _ in Int.random(in: 0...60_000, using: &generator) }.verdict
      // One in 200 would be no wonder; that none is depends on the seeds alone.
      #expect(verdict == .flat, "seed \(seed)")
    }
  }

  @Test func `less than a cache line a sample is nobody's leak`() {
    #expect(series { 63 * $0 }.verdict == .flat)
    #expect(series { 70 * $0 }.verdict == .growing)
  }

  @Test func `what shrinks is not growing`() {
    #expect(series { -10_000 * $0 }.verdict == .flat)
  }

  @Test func `too few samples decide nothing`() {
    var series = SoakSeries()
    for number in 0..<24 {
      series.append(.init(seconds: 0, operations: number, liveBytes: 1_000_000 * number))
    }
    #expect(series.counted.count == 19)
    #expect(series.verdict == .undecided)
    #expect(series.bytesPerOperation == nil)
  }
}
