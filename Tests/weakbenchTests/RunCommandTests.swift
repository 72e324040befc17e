import ProgramTesting
@testable import Benchmarking
import BenchmarkCommands
import TerminalIO
import Measurements
import Testing

@testable import weakbench

@Suite struct RunCommandTests {
  private static func journal(_ plan: RunPlan, _ destination: OutputDestination) throws
    -> RunJournal
  {
    let template = RowTemplate(
      run: "run-1", environment: EnvironmentProbe.environment(machine: "test"))
    return RunJournal(
      plan, template: template, sink: try RowSink(opening: destination), drawsProgress: false)
  }

  @Test func `a failed trial is no row, and the others are kept`() async throws {
    let folder = try TemporaryFolder()
    let plan = try RunPlan.of("--quick --backend mutex,actor --trials 1")
    let journal = try Self.journal(plan, .new(path: folder.file("rows.csv")))
    try await MeasuringRun.makeTrials(of: plan, journal) { trial throws(TrialFailure) in
      if trial.contestant.name == "actor" {
        throw TrialFailure(specification: trial, reason: "3 appends are lost")
      }
      return .example
    }
    let rows = try MeasurementCSV.measurements(in: folder.text(of: "rows.csv"))
    #expect(rows.count == plan.trials.count / 2)
    #expect(Set(rows.map(\.configuration.backend)) == ["mutex"])
    #expect(journal.failures == plan.trials.count / 2)
  }

  @Test func `a result that no row can hold is a failed trial`() async throws {
    let folder = try TemporaryFolder()
    let plan = try RunPlan.of("--quick --backend mutex --trials 1")
    let journal = try Self.journal(plan, .new(path: folder.file("rows.csv")))
    try await MeasuringRun.makeTrials(of: plan, journal) { trial throws(TrialFailure) in
      var result = TrialResult.example
      result.latency.p50Nanoseconds = .nan
      return result
    }
    #expect(try folder.text(of: "rows.csv") == MeasurementCSV.header + "\n")
    #expect(journal.failures == plan.trials.count)
  }

  @Test func `a row that cannot be written ends the run`() async throws {
    let plan = try RunPlan.of("--quick")
    let error = try commandError { _ = try Self.journal(plan, .new(path: "/dev/full")) }
    #expect(error.status == .failed)
  }

  @Test func `what is said before the first trial is one line`() throws {
    let plan = try RunPlan.of("--quick --seed 5")
    let line = Preamble.line(plan, .new(path: "/tmp/rows.csv"))
    #expect(line.hasPrefix("192 trials, about "))
    #expect(line.hasSuffix("; rows go to /tmp/rows.csv; --seed 5 repeats them"))
  }

  @Test func `the last line says what became of the trials`() {
    let ending = RunEnding(
      total: 1266, destination: .standardOutput, page: nil, isQuick: false, details: false)
    #expect(
      ending.line(rows: 1265, failures: 1, .found)
        == "1,265 of 1,266 trials are rows in standard output, 1 failed")
    #expect(
      ending.line(rows: 3, failures: 0, .interrupted)
        == "interrupted; 3 of 1,266 trials are rows in standard output")
  }

  @Test func `a build that is not fit for measuring gets the command to type`() {
    let error = BuildFitness.refusal(of: "debug", arguments: ["--csv", "my rows.csv", "--quick"])
    #expect(error.status == .usage)
    #expect(error.description.contains("this is a debug build"))
    #expect(error.description.contains("type: scripts/bench --csv 'my rows.csv' --quick"))
    #expect(error.description.contains("swift run -c release weakbench run --csv 'my rows.csv'"))
    let other = BuildFitness.refusal(
      of: "debug", command: "machine", script: nil, arguments: ["--format", "json"])
    #expect(
      other.description.contains("type: swift run -c release weakbench machine --format json"))
    #expect(!other.description.contains("scripts/"))
  }
}
