import Measurements
import Reporting
import SeededTesting
import Testing

struct MachineNoiseTests {
  /// An A/A run whose processes are off by 4 % as a whole, and their trials by 2 %.
  private func rows(
    processes: Int = 16, trials: Int = 2, threads: Int = 1, between: Double = 0.04,
    backend: String = "mutex", seed: UInt64 = TestOptions.seed
  ) -> [Measurement] {
    var generator = SeededGenerator(seed: seed)
    return (1...processes).flatMap { process in
      let own = LogNormal.trials(1, median: 100, sigma: between, using: &generator)[0]
      return Measurement.trials(
        LogNormal.trials(trials, median: own, sigma: 0.02, using: &generator), of: backend,
        process: "noise-\(process)", threads: threads)
    }
  }

  private func noise(
    _ rows: [Measurement], _ metric: MetricColumn = .nanosecondsPerOperation, resamples: Int = 200
  ) -> MachineNoise? {
    var bootstrap = Bootstrap()
    bootstrap.resamples = resamples
    return MachineNoise(of: rows, metric, bootstrap, drawingFrom: SeededGenerator(seed: 1))
  }

  private func side(_ processes: Int, trials: Int = 1) -> MachineNoise.Level.Side {
    .init(processes: processes, trials: processes * trials)
  }

  @Test func `it comes near the truth, and shrinks with processes`() throws {
    let level = try #require(noise(rows(processes: 200))).levels[0]
    let one = level.floor(side(1), side(1))
    // 1.96 × √2 × √(0.04² + 0.02²), as a part.
    #expect((0.115...0.15).contains(one), "\(one), seed \(TestOptions.seed)")
    #expect(level.floor(side(10), side(10)) < 0.45 * one)
    #expect(level.floor(side(1, trials: 9), side(1, trials: 9)) < one)
    let interval = try #require(level.interval(side(1), side(1)))
    #expect(interval.contains(one) && interval.upperBound < 0.2)
  }

  @Test func `nineteen of twenty ratios of the same stay within it`() throws {
    let outside = try (0..<400).count { run in
      let seed = TestOptions.seed &+ UInt64(1000 * run)
      // No interval is asked for.
      let level = try #require(noise(rows(seed: seed), resamples: 1)).levels[0]
      let medians = try [1, 2].map { offset in
        let values = try #require(
          ProcessValues(rows(processes: 10, seed: seed &+ UInt64(offset)), .nanosecondsPerOperation)
        )
        return try #require(Statistics.median(values.all))
      }
      let ratio = medians[0] / medians[1]
      let part = level.floor(side(10, trials: 2), side(10, trials: 2))
      return !Threshold(part).span.contains(ratio)
    }
    #expect(outside <= 32, "\(outside) of 400, seed \(TestOptions.seed)")
  }

  @Test func `the contestant that varies most counts, at each number of threads`() throws {
    let noise = try #require(
      self.noise(
        rows(between: 0.01) + rows(between: 0.1, backend: "lock-free", seed: 3)
          + rows(threads: 2, between: 0.3)))
    #expect(noise.levels.map(\.threads) == [1, 2])
    let alone = try #require(self.noise(rows(between: 0.1, backend: "lock-free", seed: 3)))
    let (one, other) = (noise.levels[0], alone.levels[0])
    #expect(one.floor(side(1), side(1)) == other.floor(side(1), side(1)))
    #expect(noise.level(forThreads: 1).threads == 1)
    #expect(noise.level(forThreads: 8).threads == 2)
  }

  @Test func `few processes, one trial in each, or another metric do not tell it`() {
    #expect(noise([]) == nil)
    #expect(noise(rows(processes: 5)) == nil)
    #expect(noise(rows(trials: 1)) == nil)
    #expect(noise(rows(), .p99) == nil)
  }

  @Test func `a comparison has a floor for each row, unless somebody says one`() throws {
    var terms = ComparisonTerms()
    terms.measuredNoise = noise(rows(threads: 1) + rows(threads: 2, between: 0.2))
    func side(_ name: String) -> [Measurement] {
      [1, 2].flatMap { threads in
        Measurement.trials(
          (0..<12).map { 100 + Double($0) / 100 }, process: name, threads: threads)
      }
    }
    let sides = ComparisonSides(base: side("base"), candidate: side("candidate"))
    func comparison() throws -> Comparison {
      try Comparison(sides, terms, drawingFrom: SeededGenerator(seed: 1))
    }
    let floors = try comparison().rows.compactMap(\.noiseFloor)
    #expect(floors.count == 2 && floors[1].part > 2 * floors[0].part)
    #expect(floors.allSatisfy { $0.source == .measured })
    #expect(try comparison().noiseFloor == floors[1])
    terms.measuredNoiseFloor = 0.01
    #expect(try comparison().rows.map(\.noiseFloor?.part) == [0.01, 0.01])
  }
}
