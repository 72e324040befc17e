import Measurements
import SeededTesting
import Testing

struct HolmCorrectionTests {
  /// As R's `p.adjust(method = "holm")` has it.
  @Test func `five p-values`() {
    let adjusted = HolmCorrection.adjusted([0.01, 0.02, 0.03, 0.04, 0.05])
    for (value, expected) in zip(adjusted, [0.05, 0.08, 0.09, 0.09, 0.09]) {
      #expect(abs(value - expected) < 1e-15)
    }
  }

  @Test func `the order is that of the p-values given, and nothing exceeds 1`() {
    #expect(HolmCorrection.adjusted([0.8, 0.5, 0.01]) == [1, 1, 0.03])
    #expect(HolmCorrection.adjusted([]).isEmpty)
    #expect(HolmCorrection.adjusted([0.3]) == [0.3])
  }

  @Test func `fifty comparisons of nothing find something in at most about 5 of 100`() throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let found = (0..<400).count { _ in
      let pValues = (0..<50).map { _ in Double.random(in: 0...1, using: &generator) }
      return HolmCorrection.adjusted(pValues).contains { $0 <= 0.05 }
    }
    #expect(found <= 38, "seed \(TestOptions.seed): \(found) of 400")
  }
}

struct CliffsDeltaTests {
  @Test func `all above is 1, all below −1, as often above as below 0`() {
    #expect(CliffsDelta.of([4, 5, 6], over: [1, 2, 3]) == 1)
    #expect(CliffsDelta.of([1, 2, 3], over: [4, 5, 6]) == -1)
    #expect(CliffsDelta.of([1, 4], over: [2, 3]) == 0)
    #expect(CliffsDelta.of([1, 1], over: [1, 1]) == 0)
    #expect(CliffsDelta.of([], over: [1]) == nil)
    #expect(CliffsDelta.of([1], over: []) == nil)
  }

  /// R's `effsize::cliff.delta` counts dominance in the same way: 2 × *U* ÷ pairs − 1.
  @Test func `it is what the test's U says`() throws {
    let (first, second) = ([1.0, 2, 2, 3, 5], [2.0, 4, 5, 5, 6, 7])
    let u = try #require(MannWhitneyTest(first, second)).u
    #expect(abs(try #require(CliffsDelta.of(first, over: second)) - (2 * u / 30 - 1)) < 1e-15)
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
