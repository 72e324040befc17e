import ProgramTesting
import BenchmarkCommands
import TerminalIO
import Benchmarking
import Choosing
import Foundation
import Measurements
import Testing
import WeakCollections
import Workloads

@testable import weakbench

@Suite struct RolesTests {
  private static func row(
    _ number: Int, _ backend: String = "mutex", reads: [Int] = [300, 100], writes: Int = 0
  ) -> Measurements.Measurement {
    var row = Measurements.Measurement.example(number, backend, threads: 3, workload: "roles")
    row.configuration.roles = "reader=2 writer=1"
    row.roles = [
      Measurements.Measurement.Role(
        name: "reader", operations: reads, seconds: 0.5,
        latency: Measurements.Measurement.Latency(samples: 20, p50Nanoseconds: 40)),
      Measurements.Measurement.Role(
        name: "writer", operations: [writes], seconds: 0.5,
        latency: Measurements.Measurement.Latency()),
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
      try destination.roles().check(columns: RoleCSV.columnNames)
      try RowSink(opening: destination, roles: destination.roles()).append(row)
    }
    #expect(try ResultsFile.rows(in: path) == rows)
    let lines = try folder.text(of: "a.roles.csv").split(separator: "\n")
    #expect(lines.count == 5)
  }

  @Test func `rows without roles leave no file of roles, and a damaged one is named`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("a.csv")
    try RowSink(opening: .new(path: path)).append(.example(1))
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
        dictionary, roles reader=2 writer=1, size 1,024, on threads
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
      row.roles[index].openLoop = Measurements.Measurement.OpenLoop(
        service: .init(p50Nanoseconds: 90, maxNanoseconds: 4e6),
        intended: .init(p50Nanoseconds: 120, maxNanoseconds: 5e6), backlog: index)
    }
    let table = OpenLoopRolesTable(of: [row, .example(2)]).text.split(separator: "\n")
    #expect(table[0] == "dictionary, roles (reader=2 writer=1), size 1,024, open loop, each role")
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
    var row = Measurements.Measurement.example(1)
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
