import Reporting
import Testing

@testable import Charts

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
