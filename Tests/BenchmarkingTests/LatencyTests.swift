import Measurements
import Testing

@testable import Benchmarking

@Suite struct LatencyTests {
  @Test func `a percentile needs ten samples beyond it`() {
    var recorder = LatencyRecorder()
    for value in 1...999 { recorder.record(value) }
    #expect(recorder.latency.p90Nanoseconds != nil)
    #expect(recorder.latency.p99Nanoseconds == nil)
    recorder.record(1000)
    #expect(recorder.latency.p99Nanoseconds != nil)
    #expect(recorder.latency.p999Nanoseconds == nil)
    #expect(recorder.latency.samples == 1000)
  }

  @Test func `no sample is no latency`() {
    let latency = LatencyRecorder().latency
    #expect(latency.p50Nanoseconds == nil)
    #expect(latency.maxNanoseconds == nil)
  }

  @Test func `percentiles are those of the samples`() throws {
    var recorder = LatencyRecorder()
    for value in 1...1000 { recorder.record(value) }
    let median = try #require(recorder.latency.p50Nanoseconds)
    #expect(abs(median - 500) <= 2)
    #expect(recorder.latency.maxNanoseconds == 1000)
  }

  @Test func `p99,99 needs a hundred thousand`() {
    var recorder = LatencyRecorder()
    for value in 1..<100_000 { recorder.record(value) }
    #expect(recorder.percentiles.p999Nanoseconds != nil)
    #expect(recorder.percentiles.p9999Nanoseconds == nil)
    recorder.record(100_000)
    #expect(recorder.percentiles.p9999Nanoseconds != nil)
  }

  @Test func `a distribution is the text that HdrHistogram's tools read`() {
    var recorder = LatencyRecorder()
    for value in 1...1000 { recorder.record(value) }
    let lines = LatencyDistribution("service", recorder).text.split(separator: "\n")
    #expect(
      lines[0].split(separator: " ") == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"])
    #expect(
      lines.contains { $0.hasPrefix("#[Max     =     1000.000, Total count    =         1000]") })
  }

  @Test func `slow operations are timed one by one, fast ones seldom`() {
    // Not with the measured time of a reading: under a sanitizer it is long, above all on a busy
    // machine.
    #expect(Meter.stride(forNanosecondsPerOperation: 50_000, clock: 30) == 1)
    #expect(Meter.stride(forNanosecondsPerOperation: 1000, clock: 30) == 5)
    #expect(Meter.stride(forNanosecondsPerOperation: 5, clock: 30) == 360)
  }
}
