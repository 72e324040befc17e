import ProgramTesting
import TerminalIO
import Benchmarking
import Measurements
import Testing

@testable import weakbench

@Suite struct ResumeTests {
  private static let line = "--quick --seed 5 --collection dictionary --resume"
  private static let original = "--quick --seed 5 --collection dictionary"

  private func missing(_ rows: [Measurement], of line: String = Self.line) throws
    -> [TrialSpecification]
  {
    try PlanResuming(plan: try RunPlan.of(line), environment: LongRunExamples.environment)
      .missing(in: "rows.csv", rows: rows)
  }

  @Test func `only what has no row is made`() throws {
    let rows = try LongRunExamples.rows(Self.original)
    let plan = try RunPlan.of(Self.line)
    #expect(try missing([]) == plan.trials)
    #expect(try missing(Array(rows.prefix(10))) == Array(plan.trials.dropFirst(10)))
    #expect(try missing(rows).isEmpty)
  }

  @Test func `rows that were written and read are found`() throws {
    let rows = try LongRunExamples.rows(Self.original)
    let read = try MeasurementCSV.measurements(in: MeasurementCSV.text(of: rows))
    #expect(try missing(read).isEmpty)
  }

  @Test func `a failed trial, which is no row, is made again`() throws {
    var rows = try LongRunExamples.rows(Self.original)
    rows.remove(at: 7)
    #expect(try missing(rows) == [RunPlan.of(Self.line).trials[7]])
  }

  @Test(arguments: [
    ("--quick --seed 6 --collection dictionary", "has the seed"),
    (
      "--quick --seed 5 --collection weak-array",
      "has the collection weak-array, this plan dictionary"
    ),
    ("--quick --seed 5 --collection dictionary --threads 3", "has the threads 3, this plan 1, 4"),
    ("--quick --seed 5 --collection dictionary --size 64", "has the size 64, this plan 1024"),
    ("--quick --seed 5 --collection dictionary --seconds 0.5", "has the requested_seconds 0.5"),
    ("--quick --seed 5 --collection dictionary --workload mixed", "has the workload mixed"),
    ("--quick --seed 5 --collection dictionary --backend ns-lock", "has the backend ns-lock"),
  ])
  func `a file of another plan is refused, with what differs`(_ other: String, _ hint: String)
    throws
  {
    let rows = try LongRunExamples.rows(other)
    let error = try commandError { _ = try missing(rows) }
    #expect(error.status == .usage)
    #expect(error.description.contains(hint), "\(error)")
    #expect(!error.description.contains { $0.isNewline })
  }

  @Test func `rows of another shard are refused`() throws {
    let rows = try LongRunExamples.rows("\(Self.original) --shard 1/2")
    let error = try commandError { _ = try missing(rows, of: "\(Self.line) --shard 2/2") }
    #expect(error.description.contains("of shard 1-of-2"), "\(error)")
    #expect(try missing(rows, of: "\(Self.line) --shard 1/2").isEmpty)
  }

  @Test func `a file of another program or machine is refused, with what differs`() throws {
    var environment = LongRunExamples.environment
    environment.swift = "swift-6.2"
    let rows = try LongRunExamples.rows(Self.original, environment: environment)
    let error = try commandError { _ = try missing(rows) }
    #expect(error.description.contains("its swift is swift-6.2, this program's swift-"))
    environment = LongRunExamples.environment
    environment.machine = "other"
    let others = try LongRunExamples.rows(Self.original, environment: environment)
    #expect(
      try commandError { _ = try missing(others) }.description
        .contains("its machine is other, this program's test"))
  }

  @Test func `resuming needs a file, and adds to it`() throws {
    func destination(_ line: String) throws -> OutputDestination {
      try OutputDestination(RunPlan.options(line), defaultName: "rows.csv")
    }
    #expect(try destination("--resume --csv /tmp/a.csv") == .appending(path: "/tmp/a.csv"))
    for line in ["--resume", "--resume --csv -", "--resume --force --csv /tmp/a.csv"] {
      #expect(try commandError { _ = try destination(line) }.status == .usage)
    }
  }

  @Test func `the program makes what is missing, and nothing twice`() async throws {
    let folder = try TemporaryFolder()
    let line =
      "run --quick --collection dictionary --backend mutex --seconds 0.01 --trials 1 --seed 5 "
      + "--csv rows.csv --allow-unoptimized --no-progress --machine test"
    #expect(try await TestedProgram.weakbench.run("\(line) --resume", in: folder).status == 0)
    let all = try folder.text(of: "rows.csv")
    let kept = all.split(separator: "\n").prefix(4).joined(separator: "\n") + "\n"
    _ = try folder.file("rows.csv", containing: kept)
    let resumed = try await TestedProgram.weakbench.run("\(line) --resume", in: folder)
    #expect(resumed.status == 0)
    #expect(resumed.errors.contains("6 of 6 trials are rows"), "\(resumed.errors)")
    let rows = try MeasurementCSV.measurements(in: folder.text(of: "rows.csv"))
    #expect(Set(rows.map(PlannedRow.init)).count == 6)
    #expect(rows.count == 6)
    #expect(Set(rows.map(\.identity.plan)).count == 1)
    let again = try await TestedProgram.weakbench.run("\(line) --resume", in: folder)
    #expect(again.status == 0)
    #expect(try MeasurementCSV.measurements(in: folder.text(of: "rows.csv")) == rows)
  }

  @Test func `a dry run shows the plan and leaves no file`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestedProgram.weakbench.run(
      "run --quick --seed 5 --dry-run --time-budget 40s --shard 1/2 --csv rows.csv", in: folder)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("dictionary: "))
    #expect(outcome.output.contains("subjects "))
    #expect(outcome.output.contains("threads "))
    #expect(outcome.errors.contains("shard 1 of 2"))
    #expect(outcome.errors.contains("the time budget leaves out "))
    #expect(throws: (any Error).self) { try folder.text(of: "rows.csv") }
  }
}
