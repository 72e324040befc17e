import Measurements
import SeededTesting
import Testing

struct StatisticsTests {
  @Test func `the median of rates is the rate at the median time`() throws {
    #expect(Statistics.medianRate(of: []) == nil)
    #expect(Statistics.medianRate(of: [9, 1, 5]) == 5)
    #expect(Statistics.medianRate(of: [4, 4]) == 4)
    #expect(Statistics.medianRate(of: [0, 4]) == 0)
    let times = [1.0, 8, 100, 2]
    let median = try #require(Statistics.median(times))
    let rate = try #require(Statistics.medianRate(of: times.map { 1 / $0 }))
    #expect(abs(rate * median - 1) < 1e-12)
  }

  @Test func `the median is the middle`() {
    #expect(Statistics.median([]) == nil)
    #expect(Statistics.median([7]) == 7)
    #expect(Statistics.median([9, 1, 5]) == 5)
    #expect(Statistics.median([4, 1, 3, 2]) == 2.5)
  }

  @Test func `quantiles interpolate as those of R and NumPy`() {
    let values: [Double] = [40, 10, 30, 20]
    #expect(Statistics.quantile(0, of: values) == 10)
    #expect(Statistics.quantile(0.25, of: values) == 17.5)
    #expect(Statistics.quantile(1, of: values) == 40)
    #expect(Statistics.quantile(0.3, of: [0.1, 0.1, 0.1]) == 0.1)
  }

  @Test func `the Jain index is 1 for all alike and 1 in n for one alone`() {
    #expect(JainIndex.of([]) == nil)
    #expect(JainIndex.of([0, 0]) == nil)
    #expect(JainIndex.of([5, 5, 5]) == 1)
    #expect(JainIndex.of([0, 8, 0, 0]) == 0.25)
    #expect(JainIndex.of([1, 3]) == 0.8)
  }

  @Test func `both rates derive from time, operations and threads`() throws {
    let throughput = try #require(
      Measurement.Throughput(seconds: 2, operations: 1_000, threads: 4))
    #expect(throughput.nanosecondsPerOperation == 8_000_000)
    #expect(throughput.operationsPerSecond == 500)
    #expect(Measurement.Throughput(seconds: 2, operations: 0, threads: 4) == nil)
    #expect(Measurement.Throughput(seconds: 0, operations: 1, threads: 4) == nil)
  }
}

struct RatioTests {
  @Test func `nothing of nothing is no change`() {
    #expect(Ratio.of(0, to: 0) == 1)
    #expect(Ratio.of(3, to: 0) == .infinity)
    #expect(Ratio.of(0, to: 3) == 0)
    #expect(Ratio.of(3, to: 2) == 1.5)
  }
}

struct MetricColumnTests {
  @Test func `a high percentile of an open loop is that of the worst trial`() {
    let rows = [(1.0, 5.0), (2, 900), (3, 7)].enumerated().map { index, times in
      var row = Measurement.trial(index, of: "mutex", nanosecondsPerOperation: 10)
      row.configuration.pace.mode = .open
      row.openLoop.service = .init()
      row.openLoop.intended.p50Nanoseconds = times.0
      row.openLoop.intended.p999Nanoseconds = times.1
      row.latency.p999Nanoseconds = times.1
      return row
    }
    #expect(MetricColumn.intendedP50.figure(of: rows) == 2)
    #expect(MetricColumn.intendedP999.figure(of: rows) == 900)
    #expect(MetricColumn.p999.figure(of: rows) == 7)
    #expect(MetricColumn.serviceP999.figure(of: rows) == nil)
  }

  @Test(arguments: MetricColumn.allCases)
  func `a metric is the column of its name`(_ metric: MetricColumn) throws {
    var row = Measurement.complete
    row.configuration.pace = .closed
    let text = try #require(MeasurementCSV.text(ofColumn: metric.rawValue, in: row))
    #expect(Double(text) == metric.value(in: row))
  }

  @Test func `in an open loop an operation has no time of its own but its percentiles`() {
    #expect(MetricColumn.nanosecondsPerOperation.value(in: .complete) == nil)
    #expect(MetricColumn.intendedP999.value(in: .complete) == 7e4)
  }

  @Test func `more operations and more fairness are better, less of anything else`() {
    #expect(
      Set(MetricColumn.allCases.filter { !$0.isSmallerBetter }) == [
        .operationsPerSecond, .jainIndex,
      ])
  }

  @Test func `a column that there is not has no text`() {
    #expect(MeasurementCSV.text(ofColumn: "ns_per_hour", in: .complete) == nil)
  }
}

struct VarianceComponentsTests {
  /// By hand: means 2, 5 and 11; mean squares 1 within and 63 between, three trials each.
  @Test func `balanced sessions`() throws {
    let components = try #require(
      VarianceComponents(ofSessions: [[1, 2, 3], [4, 5, 6], [10, 11, 12]]))
    #expect(abs(components.within - 1) < 1e-12)
    #expect(abs(components.between - 62.0 / 3) < 1e-12)
  }

  /// By hand, around a mean of 4.
  @Test func `sessions of unlike numbers of trials`() throws {
    let components = try #require(VarianceComponents(ofSessions: [[1, 2, 3], [7, 7]]))
    // Within 2 ÷ 3; between 3 × 2² + 2 × 3² = 30 over 1; size (5 − 13 ÷ 5) ÷ 1 = 2.4.
    #expect(abs(components.within - 2.0 / 3) < 1e-12)
    #expect(abs(components.between - (30 - 2.0 / 3) / 2.4) < 1e-12)
  }

  @Test func `what lies between is never below nothing`() throws {
    let components = try #require(VarianceComponents(ofSessions: [[1, 9], [9, 1], [5, 5]]))
    #expect(components.between == 0)
    #expect(components.within > 0)
  }

  @Test func `one session, or one trial in each, does not tell them apart`() {
    #expect(VarianceComponents(ofSessions: []) == nil)
    #expect(VarianceComponents(ofSessions: [[1, 2, 3]]) == nil)
    #expect(VarianceComponents(ofSessions: [[1], [2], [3]]) == nil)
  }

  @Test func `of many sessions both come near the truth`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let sessions = (0..<400).map { _ in
      let own = LogNormal.trials(1, median: 100, sigma: 0.04, using: &generator)[0]
      return LogNormal.trials(5, median: own, sigma: 0.02, using: &generator)
    }
    let components = try #require(VarianceComponents(ofSessions: sessions))
    #expect((12...20).contains(components.between), "\(components), seed \(TestOptions.seed)")
    #expect((3.4...4.7).contains(components.within), "\(components), seed \(TestOptions.seed)")
  }
}

struct GeometricMeanTests {
  @Test func `of a half and a double it is 1, and of 0 there is none`() throws {
    #expect(abs(try #require(Statistics.geometricMean([0.5, 2])) - 1) < 1e-12)
    #expect(Statistics.geometricMean([]) == nil)
    #expect(Statistics.geometricMean([0, 2]) == nil)
  }
}
