import Measurements
import Testing

struct ProcessValuesTests {
  private func row(_ time: Double, run: String, fork: Int?) -> Measurement {
    var row = Measurement.trial(1, of: "mutex", nanosecondsPerOperation: time)
    row.identity.run = run
    row.trial.fork = fork
    return row
  }

  @Test func `a process is a fork of a run, and an older run is one`() throws {
    let rows = [
      row(1, run: "a", fork: 1), row(2, run: "a", fork: 2), row(3, run: "b", fork: 1),
      row(4, run: "a", fork: 1), row(5, run: "c", fork: nil), row(6, run: "c", fork: nil),
    ]
    let values = try #require(ProcessValues(rows, .nanosecondsPerOperation))
    #expect(values.values == [[1, 4], [2], [3], [5, 6]])
    #expect(values.mediansOfProcesses == [2.5, 2, 3, 5.5])
    #expect(values.trials == 6 && values.processes == 4 && !values.hasManyProcesses)
    #expect(ProcessValues([], .p50) == nil)
  }
}
