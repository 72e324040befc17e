import Measurements
import Testing

struct StatisticsTests {
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
