import Testing

@testable import Charts

@Suite struct NumberTextTests {
  @Test(arguments: [
    (0.0, "0.00"), (4.084, "4.08"), (9.996, "10.0"), (31.44, "31.4"), (99.96, "100"),
    (1234.5, "1,235"), (1_234_567.0, "1,234,567"), (1e17, "1e+17"),
  ])
  func `amounts have as many digits as people read`(_ value: Double, _ text: String) {
    #expect(NumberText.amount(value) == text)
  }

  @Test(arguments: [
    (950.0, "950"), (999.6, "1.00k"), (12_345.0, "12.3k"), (4_560_000.0, "4.56M"),
    (3.05e9, "3.05G"), (2e13, "20.0T"),
  ])
  func `rates have a unit`(_ value: Double, _ text: String) {
    #expect(NumberText.rate(value) == text)
  }

  @Test func `what was not measured is never 0`() {
    #expect(NumberText.amount(nil) == "–")
    #expect(NumberText.rate(nil) == "–")
  }

  @Test(arguments: [
    (0.2, "1 s"), (59.5, "1 min 0 s"), (860.0, "14 min 20 s"), (7500.0, "2 h 5 min"),
  ])
  func `durations are as long as somebody waits`(_ seconds: Double, _ text: String) {
    #expect(NumberText.duration(seconds: seconds) == text)
  }

  @Test func `a count has the number of its noun`() {
    #expect(NumberText.count(1, "thread") == "1 thread")
    #expect(NumberText.count(0, "thread") == "0 threads")
    #expect(NumberText.count(1, "entry", plural: "entries") == "1 entry")
    #expect(NumberText.count(1024, "entry", plural: "entries") == "1,024 entries")
  }
}

@Suite struct FigureUnitTests {
  @Test(arguments: [
    (FigureUnit.nanoseconds, 41.0, "41.0 ns"), (.nanoseconds, 1234, "1.23 µs"),
    (.nanoseconds, 2.5e9, "2.50 s"), (.nanoseconds, 999.9, "1.00 µs"),
    (.operationsPerSecond, 57e6, "57.0 M/s"), (.bytes, 80, "80.0 B"), (.bytes, 10_900, "10.9 kB"),
    (.count, 0.5, "0.50"), (.count, 0.000_012_3, "1.2e-5"), (.count, 0, "0.00"),
    (.index, 0.987, "0.99"),
  ])
  func `figures come in the size that reads best`(
    _ unit: FigureUnit, _ value: Double, _ text: String
  ) {
    #expect(unit.text(value) == text)
  }

  @Test(arguments: [
    (FigureUnit.nanoseconds, 200.0, "200 ns"), (.nanoseconds, 1e6, "1 ms"), (.nanoseconds, 0, "0"),
    (.operationsPerSecond, 5e7, "50 M"), (.bytes, 2000, "2 k"), (.count, 1e-5, "1e-5"),
    (.count, 0.2, "0.2"), (.index, 0.6000000000000001, "0.6"),
  ])
  func `ticks are short`(_ unit: FigureUnit, _ value: Double, _ text: String) {
    #expect(unit.tickText(value) == text)
  }

  @Test func `what was not measured is a dash`() {
    #expect(FigureUnit.nanoseconds.text(nil) == "–")
  }
}
