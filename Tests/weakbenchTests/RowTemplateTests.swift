@testable import Benchmarking
import Measurements
import Testing

@testable import weakbench

@Suite struct RowTemplateTests {
  @Test func `a row made of a trial and its result reads back equal`() throws {
    let template = RowTemplate(
      run: "run-20261121T115700Z-3f2a", environment: EnvironmentProbe.environment(machine: nil))
    let result = TrialResult.example
    let rows = try RunPlan.of("--quick").trials.enumerated().map { index, trial in
      template.measurement(
        number: index + 1, trial, result, at: UTCTime(secondsSince1970: 1_795_262_220))
    }
    #expect(rows[16].identity.row == "run-20261121T115700Z-3f2a-17")
    #expect(rows[0].identity.timestamp == "2026-11-21T11:57:00Z")
    #expect(try MeasurementCSV.measurements(in: MeasurementCSV.text(of: rows)) == rows)
  }

  @Test func `runs of one second have different names`() {
    var generator = SystemRandomNumberGenerator()
    let time = UTCTime(secondsSince1970: 1_795_262_220)
    let names = (0..<8).map { _ in RowTemplate.runName(at: time, using: &generator) }
    #expect(Set(names).count > 1)
    for name in names {
      #expect(name.wholeMatch(of: /run-20261121T115700Z-[0-9a-f]{4}/) != nil)
    }
  }
}

extension TrialResult {
  static var example: TrialResult {
    TrialResult(
      throughput: .init(
        seconds: 0.25, operations: 1000, nanosecondsPerOperation: 1e6 / 4,
        operationsPerSecond: 4000),
      latency: .init(samples: 12, clockNanoseconds: 25.5, p50Nanoseconds: 41),
      contention: .init(jainIndex: 0.98), bytes: .init(allocatedPerOperation: 64))
  }
}
