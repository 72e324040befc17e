import Measurements
import Reporting
import SeededTesting
import Testing

struct NoiseFloorTests {
  /// So many series, each measured by so many processes that are off by `sigma` as a whole.
  private func side(
    _ name: String, series: Int, processes: Int, sigma: Double,
    using generator: inout SeededGenerator
  ) -> [Measurement] {
    (1...series).flatMap { threads in
      (1...processes).flatMap { process in
        let own = LogNormal.trials(1, median: 100, sigma: sigma, using: &generator)[0]
        return Measurement.trials(
          LogNormal.trials(10, median: own, sigma: 0.001, using: &generator),
          process: "\(name)-\(process)", threads: threads)
      }
    }
  }

  private func comparison(series: Int, processes: Int, measured: Double? = nil) throws -> Comparison
  {
    var generator = SeededGenerator(seed: TestOptions.seed)
    var terms = ComparisonTerms()
    terms.bootstrap.resamples = 200
    terms.measuredNoiseFloor = measured
    return try Comparison(
      ComparisonSides(
        base: side("base", series: series, processes: processes, sigma: 0.04, using: &generator),
        candidate: side(
          "candidate", series: series, processes: processes, sigma: 0.04, using: &generator)),
      terms, drawingFrom: SeededGenerator(seed: 1))
  }

  @Test func `it is estimated from what processes differ by`() throws {
    let floor = try #require(try comparison(series: 40, processes: 2).noiseFloor)
    // 3.23, which a normal variable exceeds once in 1,600 times, × 0.04 × √(1/2 + 1/2), as a part.
    #expect((0.11...0.165).contains(floor.part), "\(floor.part), seed \(TestOptions.seed)")
    #expect(floor.source == .betweenProcesses)
  }

  @Test func `more processes lower it`() throws {
    let two = try #require(try comparison(series: 40, processes: 2).noiseFloor)
    let four = try #require(try comparison(series: 40, processes: 4).noiseFloor)
    #expect(four.part < 0.85 * two.part)
  }

  @Test func `with it no row of equal code is called better or worse`() throws {
    let comparison = try comparison(series: 40, processes: 2)
    let called = comparison.count(of: .better) + comparison.count(of: .worse)
    #expect(called <= 1, "\(called) of 40, seed \(TestOptions.seed)")
    #expect(comparison.rows.allSatisfy { $0.noiseFloor == comparison.noiseFloor })
  }

  @Test func `one process a side, or few series, do not tell it`() throws {
    #expect(try comparison(series: 40, processes: 1).noiseFloor == nil)
    #expect(try comparison(series: 4, processes: 2).noiseFloor == nil)
  }

  @Test func `a measured one is preferred`() throws {
    let floor = try #require(try comparison(series: 40, processes: 2, measured: 0.02).noiseFloor)
    #expect(floor == NoiseFloor(measured: 0.02))
  }

  @Test func `an interval of processes needs no estimate beside it`() throws {
    let comparison = try comparison(series: 3, processes: 6)
    #expect(comparison.noiseFloor != nil)
    #expect(comparison.rows.allSatisfy { $0.comparesProcesses && $0.noiseFloor == nil })
  }

  @Test func `where noise exceeds the threshold nothing is called the same`() throws {
    let times = (0..<12).map { 100 + Double($0) / 100 }
    var terms = ComparisonTerms()
    func verdict() throws -> Verdict {
      try Comparison(
        ComparisonSides(base: Measurement.trials(times), candidate: Measurement.trials(times)),
        terms, drawingFrom: SeededGenerator(seed: 1)
      ).rows[0].verdict
    }
    #expect(try verdict() == .same)
    terms.measuredNoiseFloor = 0.06
    #expect(try verdict() == .undecided)
  }
}
