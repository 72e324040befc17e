import Measurements
import Reporting
import SeededTesting
import Testing

/// What comparisons say of times whose truth is known, 20 times over.
struct ComparisonSimulationTests {
  private static let seeds = (0..<20).map { TestOptions.seed &+ UInt64($0) }

  private static func verdicts(
    _ base: [Measurement], _ candidate: [Measurement], noiseFloor: Double? = nil,
    metric: MetricColumn = .nanosecondsPerOperation
  ) throws -> [Verdict] {
    var terms = ComparisonTerms()
    terms.bootstrap.resamples = 400
    terms.measuredNoiseFloor = noiseFloor
    terms.metric = metric
    return try Comparison(
      ComparisonSides(base: base, candidate: candidate), terms,
      drawingFrom: SeededGenerator(seed: 1)
    ).rows.map(\.verdict)
  }

  private static func isFalse(_ verdict: Verdict) -> Bool {
    verdict == .better || verdict == .worse
  }

  @Test(arguments: [MetricColumn.nanosecondsPerOperation, .operationsPerSecond])
  func `a planted slowdown of a tenth is found worse, and never the same or better`(
    _ metric: MetricColumn
  ) throws {
    let verdicts = try Self.seeds.flatMap { seed in
      var generator = SeededGenerator(seed: seed)
      let base = LogNormal.trials(24, median: 100, using: &generator)
      let candidate = LogNormal.trials(24, median: 110, using: &generator)
      return try Self.verdicts(.trials(base), .trials(candidate), noiseFloor: 0.01, metric: metric)
    }
    #expect(verdicts.count { $0 == .worse } >= 19, "\(verdicts)")
    #expect(!verdicts.contains(.same) && !verdicts.contains(.better), "\(verdicts)")
  }

  @Test func `a planted speed-up of a tenth is found better`() throws {
    let verdicts = try Self.seeds.flatMap { seed in
      var generator = SeededGenerator(seed: seed)
      let base = LogNormal.trials(24, median: 110, using: &generator)
      let candidate = LogNormal.trials(24, median: 100, using: &generator)
      return try Self.verdicts(.trials(base), .trials(candidate))
    }
    #expect(verdicts.count { $0 == .better } >= 19, "\(verdicts)")
  }

  @Test(arguments: [3, 6, 10, 24])
  func `the same against itself is at most once in 20 called better or worse`(
    _ trials: Int
  ) throws {
    let verdicts = try Self.seeds.flatMap { seed in
      var generator = SeededGenerator(seed: seed)
      let base = LogNormal.trials(trials, median: 100, using: &generator)
      let candidate = LogNormal.trials(trials, median: 100, using: &generator)
      return try Self.verdicts(.trials(base), .trials(candidate))
    }
    #expect(verdicts.count(where: Self.isFalse) <= 1, "\(verdicts)")
  }

  @Test func `of thirty rows the one that got slower is found, and no other`() throws {
    var falseRuns = 0
    var found = 0
    for seed in Self.seeds {
      var generator = SeededGenerator(seed: seed)
      func side(slower: Double) -> [Measurement] {
        (1...30).flatMap { threads in
          let median = threads == 7 ? 100 * slower : 100
          return [Measurement].trials(
            LogNormal.trials(12, median: median, sigma: 0.03, using: &generator), threads: threads)
        }
      }
      let verdicts = try Self.verdicts(side(slower: 1), side(slower: 1.15))
      if verdicts[6] == .worse { found += 1 }
      if (verdicts[..<6] + verdicts[7...]).contains(where: Self.isFalse) { falseRuns += 1 }
    }
    #expect(found >= 19)
    #expect(falseRuns <= 1)
  }

  /// Each process is off by about 5 % as a whole, which its trials, alike within 1 %, do not show.
  private static func processes(
    _ count: Int, trials: Int, median: Double, name: String,
    using generator: inout SeededGenerator
  ) -> [Measurement] {
    (1...count).flatMap { process in
      let own = LogNormal.trials(1, median: median, using: &generator)[0]
      let times = LogNormal.trials(trials, median: own, sigma: 0.01, using: &generator)
      return [Measurement].trials(times, process: "\(name)-\(process)")
    }
  }

  @Test func `trials of one process each are called different for what processes differ by`() throws
  {
    let verdicts = try Self.seeds.flatMap { seed in
      var generator = SeededGenerator(seed: seed)
      return try Self.verdicts(
        Self.processes(1, trials: 24, median: 100, name: "base", using: &generator),
        Self.processes(1, trials: 24, median: 100, name: "candidate", using: &generator))
    }
    // Why a noise floor, or several processes, are needed.
    #expect(verdicts.count(where: Self.isFalse) > 1, "\(verdicts)")
  }

  @Test func `with a measured noise floor they are not`() throws {
    let verdicts = try Self.seeds.flatMap { seed in
      var generator = SeededGenerator(seed: seed)
      return try Self.verdicts(
        Self.processes(1, trials: 24, median: 100, name: "base", using: &generator),
        Self.processes(1, trials: 24, median: 100, name: "candidate", using: &generator),
        noiseFloor: 0.2)
    }
    #expect(verdicts.count(where: Self.isFalse) <= 1, "\(verdicts)")
  }

  @Test func `twelve processes a side are compared as twelve values`() throws {
    let verdicts = try Self.seeds.flatMap { seed in
      var generator = SeededGenerator(seed: seed)
      return try Self.verdicts(
        Self.processes(12, trials: 3, median: 100, name: "base", using: &generator),
        Self.processes(12, trials: 3, median: 100, name: "candidate", using: &generator))
    }
    #expect(verdicts.count(where: Self.isFalse) <= 1, "\(verdicts)")
  }

  @Test func `and with thirty a slowdown of a tenth is found in spite of what processes differ by`()
    throws
  {
    let verdicts = try Self.seeds.flatMap { seed in
      var generator = SeededGenerator(seed: seed)
      return try Self.verdicts(
        Self.processes(30, trials: 2, median: 100, name: "base", using: &generator),
        Self.processes(30, trials: 2, median: 110, name: "candidate", using: &generator))
    }
    #expect(verdicts.count { $0 == .worse } >= 19, "\(verdicts)")
    #expect(!verdicts.contains(.same) && !verdicts.contains(.better), "\(verdicts)")
  }
}

extension [Measurement] {
  static func trials(
    _ times: [Double], process: String = "run-1", threads: Int = 2
  ) -> [Measurement] {
    Measurement.trials(times, process: process, threads: threads)
  }
}
