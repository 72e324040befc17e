import Measurements
import Testing

struct SummaryTests {
  @Test func `trials of one series are summed up, across runs and seeds`() throws {
    var measurements = [
      Measurement.trial(1, of: "mutex", nanosecondsPerOperation: 30),
      .trial(1, of: "actor", nanosecondsPerOperation: 100),
      .trial(2, of: "mutex", nanosecondsPerOperation: 10),
      .trial(3, of: "mutex", nanosecondsPerOperation: 20),
    ]
    measurements[3].identity.run = "run-2"
    let summaries = Summary.summaries(of: measurements)
    #expect(summaries.map(\.series.configuration.backend) == ["mutex", "actor"])
    let mutex = try #require(summaries.first)
    #expect(mutex.trials == 3)
    #expect(mutex.nanosecondsPerOperation == [30, 10, 20])
    #expect(mutex.medianNanosecondsPerOperation == 20)
    #expect(mutex.minNanosecondsPerOperation == 10)
    #expect(mutex.maxNanosecondsPerOperation == 30)
    #expect(mutex.medianOperationsPerSecond == 5e7)
  }

  @Test func `another size, kind or machine is another series`() {
    var elsewhere = Measurement.trial(4, of: "mutex", nanosecondsPerOperation: 1)
    elsewhere.environment.machine = "elsewhere"
    let measurements = [
      Measurement.trial(1, of: "mutex", nanosecondsPerOperation: 1),
      .trial(2, of: "mutex", nanosecondsPerOperation: 1, size: 64),
      .trial(3, of: "mutex", nanosecondsPerOperation: 1, kind: .peer),
      elsewhere,
    ]
    #expect(Summary.summaries(of: measurements).map(\.trials) == [1, 1, 1, 1])
  }
}
