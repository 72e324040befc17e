import BenchmarkCommands
import Benchmarking
import Choosing
import Foundation
import Measurements
import ProgramTesting
import TerminalIO
import Testing
import WeakCollections
import Workloads

@testable import Benchmarking
@testable import BenchmarkProgram

@Suite struct OpenLoopRunTests {
  private static let line =
    "--mode open --collection dictionary --backend mutex,lock-free --mix read=100"

  @Test func `loads are shares of a capacity that each configuration has of its own`() async throws
  {
    var plan = try RunPlan.of("\(Self.line) --load 50,90 --trials 4")
    #expect(plan.trials.count == 2 * 2 * 2 * 4)
    #expect(plan.searchSeconds > 0)
    var searched: [TrialSpecification] = []
    var notes: [String] = []
    try await plan.findCapacities(note: { notes.append($0) }) { trial throws(TrialFailure) in
      searched.append(trial)
      let isMutex = trial.contestant.name == "mutex"
      let capacity: Double = isMutex ? 1e6 : 2e6 + Double(trial.number)
      return .capacity(capacity)
    }
    // Three of the four trials, of each backend at 1 and 2 threads.
    #expect(searched.count == 2 * 2 * 3)
    #expect(searched.allSatisfy { $0.pace == .init(mode: .open) })
    #expect(notes.count == 4)
    #expect(
      notes.contains(
        "capacity of dictionary mutex custom ×2: 1.00M operations/s (3 trials, 1.00M to 1.00M)"))
    #expect(plan.trials.count == 2 * 2 * 2 * 4)
    #expect(plan.searchSeconds == 0)
    let targets = Set(plan.trials.map { "\($0.contestant.name) \($0.pace)" })
    #expect(targets.count == 4)
    for trial in plan.trials {
      let capacity: Double = trial.contestant.name == "mutex" ? 1e6 : 2_000_002
      let share = Double(try #require(trial.pace.loadPercent))
      let target = (capacity * share / 100).rounded()
      #expect(trial.pace.targetOperationsPerSecond == target)
    }
  }

  @Test func `what has no capacity is left out, and said`() async throws {
    var plan = try RunPlan.of("\(Self.line) --threads 1 --trials 1")
    var notes: [String] = []
    try await plan.findCapacities(note: { notes.append($0) }) { trial throws(TrialFailure) in
      guard trial.contestant.name == "mutex" else {
        throw TrialFailure(specification: trial, reason: "it broke")
      }
      return .capacity(1e6)
    }
    #expect(Set(plan.trials.map(\.contestant.name)) == ["mutex"])
    #expect(plan.trials.compactMap(\.pace.loadPercent).sorted() == PaceOptions.loads)
    #expect(notes.contains { $0.hasPrefix("failed: ") && $0.contains("it broke") })
  }

  @Test func `a rate is the same for all, and nothing is to be found`() throws {
    let plan = try RunPlan.of("\(Self.line) --rate 1000,20000 --trials 1 --threads 1")
    #expect(plan.searchSeconds == 0)
    #expect(
      Set(plan.trials.map(\.pace)) == [
        .init(mode: .open, targetOperationsPerSecond: 1000),
        .init(mode: .open, targetOperationsPerSecond: 20000),
      ])
  }

  @Test(arguments: [
    ("--mode opne", "did you mean open? (allowed: closed, open)"),
    ("--rate 1000", "--rate with --mode open"),
    ("--load 50 --mode closed", "--load with --mode open"),
    ("--mode open --rate 5 --load 5", "allowed: one of them"),
    ("--mode open --load 0", "from 1 to 200"),
    ("--mode open --driver gcd", "--driver threads"),
    ("--mode open --rate -1", "from 1 to 1000000000"),
    ("--mode open --rate 1000000000 --seconds 100", "from 1 to 10000000,"),
  ])
  func `what is not allowed is one line that lists what is`(_ line: String, _ hint: String) throws {
    let error = try commandError { _ = try RunPlan.of(line) }
    #expect(error.status == .usage)
    #expect(error.description.contains(hint), "\(error)")
  }

  @Test func `rows of open loops have a table of their own, with both kinds of time`() {
    let pace = Measurement.Pace(mode: .open, targetOperationsPerSecond: 7e5, loadPercent: 70)
    var rows = [Measurement.example(1), .example(2, "lock-free"), .example(3)]
    rows[0].configuration.pace = .init(
      mode: .open, targetOperationsPerSecond: 9e5, loadPercent: 90)
    for index in 1...2 { rows[index].configuration.pace = pace }
    for index in rows.indices {
      rows[index].throughput.operationsPerSecond = 699_000
      rows[index].openLoop = Measurement.OpenLoop(
        service: .init(p50Nanoseconds: 90, p99Nanoseconds: 400, maxNanoseconds: 4e6),
        intended: .init(p50Nanoseconds: 120, p99Nanoseconds: 2e6, maxNanoseconds: 5e6), backlog: 0)
    }
    let table = """
      dictionary, read-heavy, 1,024 entries, 1 thread, open loop
      BACKEND    load  target/s  done/s  backlog  TIME          p50      p99  p99.9  p99.99      max
      mutex      70 %      700k    699k        0  service   90.0 ns   400 ns      –       –  4.00 ms
                                                  intended   120 ns  2.00 ms      –       –  5.00 ms
      mutex      90 %      900k    699k        0  service   90.0 ns   400 ns      –       –  4.00 ms
                                                  intended   120 ns  2.00 ms      –       –  5.00 ms
      lock-free  70 %      700k    699k        0  service   90.0 ns   400 ns      –       –  4.00 ms
                                                  intended   120 ns  2.00 ms      –       –  5.00 ms

      service: from an operation's start to its end; intended: from when it was due to its end, the \
      latency that a user sees.
      load: the target in percent of the measured capacity; backlog: due and never started; – not \
      measured.
      From p99 on, the worst trial, because a backend may collapse in some; medians of the trials before.
      This was --quick: one session, indicative, not for decisions.
      """
    #expect(SummaryTable(of: rows, isQuick: true, details: true).text == table)
  }

  @Test func `the latencies of a row are files named by it`() throws {
    let folder = try TemporaryFolder()
    let output = try OutputFolder("\(folder.path)/new", option: "--histograms")
    var recorder = LatencyRecorder()
    recorder.record(41)
    try output.write(
      [LatencyDistribution("service", recorder), LatencyDistribution("intended", .init())],
      ofRow: "run-1-1")
    #expect(try folder.text(of: "new/run-1-1.service.hgrm").contains("41.000"))
    // There is no file of nothing.
    #expect(throws: (any Error).self) { try folder.text(of: "new/run-1-1.intended.hgrm") }
  }
}

extension TrialResult {
  fileprivate static func capacity(_ rate: Double) -> TrialResult {
    var result = TrialResult.example
    result.throughput.operationsPerSecond = rate
    return result
  }
}

@Suite struct RolesTests {
  private static func row(
    _ number: Int, _ backend: String = "mutex", reads: [Int] = [300, 100], writes: Int = 0
  ) -> Measurement {
    var row = Measurement.example(number, backend, threads: 3, workload: "roles")
    row.configuration.roles = "reader=2 writer=1"
    row.roles = [
      Measurement.Role(
        name: "reader", operations: reads, seconds: 0.5,
        latency: Measurement.Latency(samples: 20, p50Nanoseconds: 40)),
      Measurement.Role(
        name: "writer", operations: [writes], seconds: 0.5,
        latency: Measurement.Latency()),
    ]
    row.roles[0].allocatedBytesPerOperation = 96
    return row
  }

  @Test func `roles say how many threads there are, for every collection and backend`() throws {
    let trials = try RunPlan.of("--roles writer=1,reader=2").trials
    #expect(Set(trials.map(\.threads)) == [3])
    #expect(Set(trials.map(\.workload.name)) == ["roles"])
    #expect(Set(trials.map(\.configuration.roles)) == ["reader=2 writer=1"])
    #expect(Set(trials.map(\.contestant.collection)) == Set(StandardMatrix.collections))
    #expect(Set(trials.map(\.driver)) == [.threads])
  }

  @Test(arguments: Driver.allCases)
  func `the driver is that of all trials, and in their rows`(_ driver: Driver) throws {
    let trials = try RunPlan.of("--driver \(driver.rawValue) --quick").trials
    #expect(trials.count == 192)
    #expect(Set(trials.map(\.driver)) == [driver])
    #expect(Set(trials.map(\.configuration.driver)) == [driver.rawValue])
  }

  @Test(arguments: [
    ("--roles reader=1 --threads 2", "--roles and --threads exclude each other"),
    ("--roles reader=1 --mix read=100", "--roles and --mix exclude each other"),
    ("--roles reader=1 --workload churn", "--roles and --workload exclude each other"),
    ("--roles raeder=1", "--roles: unknown role 'raeder'; did you mean reader?"),
    ("--driver thread", "did you mean threads? (allowed: threads, gcd, tasks)"),
    ("--roles updater=1 --backend published-queue", "nothing supports roles on threads"),
  ])
  func `what is not allowed is one line that lists what is`(_ line: String, _ hint: String) throws {
    let error = try commandError { _ = try RunPlan.of(line) }
    #expect(error.status == .usage)
    #expect(error.description.contains(hint), "\(error)")
    #expect(!error.description.contains { $0.isNewline })
  }

  @Test func `roles go beside the rows, and nowhere without a file`() throws {
    #expect(try OutputDestination.new(path: "/a/b.csv").roles() == .new(path: "/a/b.roles.csv"))
    #expect(
      try OutputDestination.appending(path: "/a/b.csv").roles()
        == .appending(path: "/a/b.roles.csv"))
    #expect(
      try OutputDestination.replacing(path: "/a/b").roles() == .replacing(path: "/a/b.roles.csv"))
    let error = try commandError { _ = try OutputDestination.standardOutput.roles() }
    #expect(error.status == .usage)
    #expect(error.description.contains("--roles needs a file"))
  }

  @Test func `what is written row by row is read back with its roles`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv")
    let rows = [Self.row(1), Self.row(2, "lock-free", writes: 7)]
    for row in rows {
      // Appending, as a later run does.
      let destination = OutputDestination.appending(path: path)
      try destination.check()
      let parts: Set<MeasurementCSV.Part> = [.roles, .closedLoop, .bytes]
      try destination.roles().check(RoleWriter.self, parts: parts)
      var sink = try RowSink(opening: destination, roles: destination.roles(), parts: parts)
      try sink.append(row)
    }
    #expect(try ResultsFile.rows(in: path) == rows)
    let lines = try folder.text(of: "a.roles.csv").split(separator: "\n")
    #expect(lines.count == 5)
  }

  @Test func `rows without roles leave no file of roles, and a damaged one is named`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv")
    var sink = try RowSink(opening: .new(path: path), parts: [.closedLoop])
    try sink.append(.example(1))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.csv"])
    _ = try folder.file("a.roles.csv", containing: "row\nrun-1-1\n")
    let error = try #require(throws: CommandError.self) { try ResultsFile.rows(in: path) }
    #expect(error.status == .badData)
    #expect(error.description.contains("a.roles.csv: the header has no column 'role'"))
  }

  @Test func `the table has medians for each role, and what is not known is no 0`() {
    let rows = [
      Self.row(1), Self.row(2, reads: [200, 200]), Self.row(3, reads: [100, 100]),
      Self.row(4, "lock-free", reads: [500, 500], writes: 50),
    ]
    #expect(
      RolesTable(of: rows + [.example(5)]).text == """
        dictionary, roles reader=2 writer=1, 1,024 entries, on threads
        BACKEND    ROLE    WORKERS       ns/op  ops/s  p50 ns  p99 ns  p99.9 ns  jain  max÷min  B/op
        mutex      reader        2   2,500,000    800    40.0       –         –  1.00     1.00  96.0
                   writer        1           –      0       –       –         –     –        –     –
        lock-free  reader        2   1,000,000  2.00k    40.0       –         –  1.00     1.00  96.0
                   writer        1  10,000,000    100       –       –         –  1.00     1.00     –


        """ + RolesTable.legend)
    #expect(RolesTable(of: [.example(1)]).text.isEmpty)
  }

  @Test func `roles of open loops have both kinds of time, and no fairness`() {
    var row = Self.row(1)
    row.configuration.pace = .init(
      mode: .open, targetOperationsPerSecond: 1200, loadPercent: 70)
    for index in row.roles.indices {
      row.roles[index].openLoop = Measurement.OpenLoop(
        service: .init(p50Nanoseconds: 90, maxNanoseconds: 4e6),
        intended: .init(p50Nanoseconds: 120, maxNanoseconds: 5e6), backlog: index)
    }
    let table = OpenLoopRolesTable(of: [row, .example(2)]).text.split(separator: "\n")
    #expect(
      table[0] == "dictionary, roles (reader=2 writer=1), 1,024 entries, open loop, each role")
    let cells = table.map { $0.split(separator: "  ").map { $0.trimmingPrefix(" ") } }
    let titles = [
      "BACKEND", "load", "target/s", "ROLE", "WORKERS", "done/s", "backlog", "TIME", "p50", "p99",
      "p99.9", "p99.99", "max",
    ]
    let service = ["service", "90.0 ns", "–", "–", "–", "4.00 ms"]
    let intended = ["intended", "120 ns", "–", "–", "–", "5.00 ms"]
    let expected = [
      titles, ["mutex", "70 %", "1.20k", "reader", "2", "800", "0"] + service, intended,
      ["writer", "1", "0", "1"] + service, intended,
    ]
    #expect(cells.dropFirst().map { $0.map(String.init) } == expected)
    #expect(RolesTable(of: [row]).text.isEmpty)
  }

  @Test func `trials with roles, or on others' threads, are no costs for the chooser`() {
    var row = Measurement.example(1)
    row.environment.kernel = "Linux 6.18.44 x86_64"
    row.environment.mutexFlavor = "priority-inheritance"
    #expect(CostSample(row) != nil)
    var pooled = row
    pooled.configuration.driver = "gcd"
    #expect(CostSample(pooled) == nil)
    row.configuration.roles = "reader=2 writer=1"
    #expect(CostSample(row) == nil)
  }

  @Test func `every collection lists its roles`() {
    for collection in Inventory.complete.collections {
      #expect(collection.roles.map(\.name) == RoleKind.allCases.map(\.rawValue))
    }
  }
}
