import BenchmarkCommands
import Measurements
import ProgramTesting
import TerminalIO
import Testing
import Workloads

@testable import Benchmarking
@testable import BenchmarkProgram

@Suite struct RunCommandTests {
  private static func journal(_ plan: RunPlan, _ destination: OutputDestination) throws
    -> RunJournal
  {
    let template = RowTemplate(
      run: "run-1", environment: EnvironmentProbe.environment(machine: "test"))
    return RunJournal(
      plan, template: template, sink: try RowSink(opening: destination, parts: plan.parts),
      drawsProgress: false)
  }

  @Test func `a failed trial yields no row, and the rows of the others are kept`() async throws {
    let folder = try TemporaryFolder()
    let plan = try RunPlan.of("--quick --backend mutex,actor --trials 1")
    let journal = try Self.journal(plan, .new(path: folder.file("rows.csv")))
    try await MeasuringRun.makeTrials(of: plan, journal, expecting: { _ in }) {
      trial throws(TrialFailure) in
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

  @Test func `extra sessions measure undecided comparisons until they are decided`() async throws {
    let folder = try TemporaryFolder()
    let plan = try RunPlan.of(
      "--collection dictionary --backend mutex,actor,lock-free --workload read-only,mixed "
        + "--threads 1 --pause 0 --extra 600")
    let journal = try Self.journal(plan, .new(path: folder.file("rows.csv")))
    var expected = 0
    try await MeasuringRun.makeTrials(of: plan, journal, expecting: { expected += $0.count }) {
      trial throws(TrialFailure) in
      // The actor is always slower. The others differ in the first sessions of one workload.
      var result = TrialResult.example
      let noise = trial.workload.name == "mixed" && trial.session < 5 ? 1.3 : 1
      result.throughput.nanosecondsPerOperation =
        switch trial.contestant.name {
        case "actor": 300 + Double(trial.session)
        case "mutex": 100 * (trial.session.isMultiple(of: 2) ? noise : 1)
        default: 100
        }
      return result
    }
    let rows = try MeasurementCSV.measurements(in: folder.text(of: "rows.csv"))
    let further = rows.filter { ($0.trial.session ?? 1) > 3 }
    #expect(rows.count == plan.trials.count + expected && further.count == expected)
    #expect(Set(further.map(\.configuration.backend)) == ["mutex", "lock-free"])
    #expect(Set(further.map(\.configuration.workload)) == ["mixed"])
    #expect(further.count >= 4 && StoppingRule.open(in: rows).isEmpty)
  }

  @Test func `a result that a row cannot represent is a failed trial`() async throws {
    let folder = try TemporaryFolder()
    let plan = try RunPlan.of("--quick --backend mutex --trials 1")
    let journal = try Self.journal(plan, .new(path: folder.file("rows.csv")))
    try await MeasuringRun.makeTrials(of: plan, journal, expecting: { _ in }) {
      trial throws(TrialFailure) in
      var result = TrialResult.example
      result.latency.p50Nanoseconds = .nan
      return result
    }
    let header = MeasurementWriter(parts: plan.parts).header
    #expect(try folder.text(of: "rows.csv") == header)
    #expect(journal.failures == plan.trials.count)
  }

  @Test func `a row that cannot be written ends the run`() async throws {
    let plan = try RunPlan.of("--quick")
    let error = try commandError { _ = try Self.journal(plan, .new(path: "/dev/full")) }
    #expect(error.status == .failed)
  }

  @Test func `the output before the first trial is one line`() throws {
    let plan = try RunPlan.of("--quick --seed 5")
    let line = Preamble.line(plan, .new(path: "/tmp/rows.csv"))
    #expect(line.hasPrefix("192 trials, about "))
    #expect(line.hasSuffix("; rows go to /tmp/rows.csv; --seed 5 repeats them"))
  }

  @Test func `the last line has the numbers of passed and failed trials`() {
    let ending = RunEnding(
      total: 4, destination: .standardOutput, page: nil, isQuick: false, details: false)
    func line(rows: Int, failures: Int = 0, extra: Int = 0, _ status: TerminalIO.ExitStatus)
      -> String
    {
      ending.line(
        RunOutcome(
          rows: (0..<rows).map { .example($0) }, failures: failures, extraTrials: extra), status)
    }
    #expect(
      line(rows: 3, failures: 1, .found)
        == "3 of 4 trials passed, 1 failed; rows: standard output")
    #expect(
      line(rows: 3, .interrupted)
        == "interrupted; 3 of 4 trials passed; rows: standard output")
    #expect(line(rows: 4, .fine) == "4 trials, all passed; rows: standard output")
    #expect(line(rows: 6, extra: 2, .fine) == "6 trials, all passed; rows: standard output")
  }

  @Test func `a debug build is refused with the command to type instead`() {
    let error = BuildFitness.refusal(
      of: "debug", program: "weakbench", arguments: ["--csv", "my rows.csv", "--quick"])
    #expect(error.status == .usage)
    #expect(error.description.contains("this is a debug build"))
    #expect(error.description.contains("type: scripts/bench --csv 'my rows.csv' --quick"))
    #expect(error.description.contains("swift run -c release weakbench run --csv 'my rows.csv'"))
    let other = BuildFitness.refusal(
      of: "debug", program: "weakbench", command: "list", script: nil,
      arguments: ["--machine", "--format", "json"])
    #expect(
      other.description.contains(
        "type: swift run -c release weakbench list --machine --format json"))
    #expect(!other.description.contains("scripts/"))
  }
}

@Suite struct RowSinkTests {
  private static func write(
    _ rows: [Measurement], to destination: OutputDestination,
    parts: Set<MeasurementCSV.Part> = [.closedLoop]
  ) throws {
    var sink = try RowSink(opening: destination, parts: parts)
    for row in rows { try sink.append(row) }
  }

  @Test func `a new file begins with the header, and each row is written immediately`() throws {
    let folder = try TemporaryFolder()
    var sink = try RowSink(opening: .new(path: folder.file("a.csv")), parts: [.closedLoop])
    #expect(
      try folder.text(of: "a.csv") == MeasurementWriter(parts: [.closedLoop]).header)
    try sink.append(.example(1))
    #expect(try folder.text(of: "a.csv") == MeasurementCSV.text(of: [.example(1)]))
    try sink.append(.example(2))
    let rows = try MeasurementCSV.measurements(in: folder.text(of: "a.csv"))
    #expect(rows == [.example(1), .example(2)])
  }

  @Test func `appending keeps the existing rows and writes no second header`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv")
    var later = Measurement.example(2)
    later.identity.run = "run-2"
    try Self.write([.example(1)], to: .appending(path: path))
    try Self.write([later], to: .appending(path: path))
    #expect(try folder.text(of: "a.csv") == MeasurementCSV.text(of: [.example(1), later]))
  }

  @Test func `rows can be appended to a file with more columns, but not to one with fewer`() throws
  {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv")
    try Self.write([.example(1)], to: .new(path: path), parts: [.closedLoop, .bytes])
    let columns = try ResultsFile.columnNames(in: path)
    try Self.write([.example(2)], to: .appending(path: path))
    #expect(try ResultsFile.rows(in: path) == [.example(1), .example(2)])
    #expect(try ResultsFile.columnNames(in: path) == columns)
    let error = try commandError {
      try Self.write([.example(3)], to: .appending(path: path), parts: [.openLoop])
    }
    #expect(error.status == .usage && error.description.contains("no column 'mode'"), "\(error)")
    #expect(try ResultsFile.rows(in: path).count == 2)
  }

  @Test func `a value without a column is not dropped silently`() throws {
    let sink = try RowSink(opening: .appending(path: "/dev/null"), parts: [.closedLoop])
    #expect(sink.invalidColumn(in: .example(1)) == nil)
    let row = Measurement.example(1, bytes: Measurement.Bytes(peakLive: 7))
    #expect(sink.invalidColumn(in: row) == "peak_live_bytes")
  }

  @Test func `replacing a file discards its content`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv", containing: "something long that was here before\n")
    try Self.write([.example(1)], to: .replacing(path: path))
    #expect(try folder.text(of: "a.csv") == MeasurementCSV.text(of: [.example(1)]))
  }

  @Test func `a full disk ends the run as failed, and the message names the file`() throws {
    let error = try commandError { try Self.write([.example(1)], to: .new(path: "/dev/full")) }
    #expect(error.status == .failed)
    #expect(error.description.contains(" bytes to /dev/full: "))
  }

  @Test func `a file that was created after the check is not overwritten`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv", containing: "mine")
    let error = try commandError { try Self.write([], to: .new(path: path)) }
    #expect(error.status == .usage && error.description.contains("a.csv exists already, because "))
    #expect(try folder.text(of: "a.csv") == "mine")
    #expect(try folder.names() == ["a.csv"])
  }

  @Test func `a path that cannot be opened is a usage error`() throws {
    let error = try commandError { try Self.write([], to: .new(path: "/none/rows.csv")) }
    #expect(error.status == .usage)
  }
}

@Suite struct RowPartsTests {
  @Test(arguments: [
    "--collection weak-array --backend mutex --workload mixed --threads 2",
    "--collection weak-set --backend lock-free --workload mixed --threads 1 --driver gcd",
    "--collection dictionary --backend lock-free --workload mixed --threads 2 --driver tasks",
    "--collection dictionary --backend bucket-lock --workload mixed --threads 1 --mode open --rate 1000",
    "--collection dictionary --backend actor --roles reader=1,writer=1",
    "--collection weak-array --backend mutex --roles reader=1,writer=1 --mode open --rate 1000",
  ])
  func `the row and the roles of a trial have exactly the parts of its plan`(
    _ line: String
  ) async throws {
    let plan = try RunPlan.of("\(line) --entries 64 --trials 1 --seconds 0.1")
    let template = RowTemplate(
      run: "run-1", environment: EnvironmentProbe.environment(machine: nil))
    let trial = try #require(plan.trials.first)
    let row = try template.measurement(number: 1, trial, await trial.run(), at: .now)
    let writer = MeasurementWriter(parts: plan.parts)
    #expect(MeasurementCSV.text(of: [row]).hasPrefix(writer.header))
    let roles = RoleWriter(parts: plan.parts)
    #expect(row.roles.isEmpty || RoleCSV.text(of: [row]).hasPrefix(roles.header))
  }
}

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

  @Test func `runs that start in the same second have different names`() {
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
      contention: .init(jainIndex: 0.98),
      // A build that does not count bytes has no column for them.
      bytes: AllocatorProbe.isAvailable ? .init(allocatedPerOperation: 64) : .init())
  }
}
