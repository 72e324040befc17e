import ArgumentParser
import BenchmarkCommands
import Foundation
import Measurements
import ProgramTesting
import TerminalIO
import Testing

@testable import BenchmarkProgram

@Suite struct ShowCommandTests {
  private func run(_ arguments: [String]) throws { try ShowCommand.parse(arguments).run() }

  private func status(_ arguments: [String]) -> TerminalIO.ExitStatus? {
    do { try run(arguments) } catch { return (error as? CommandError)?.status }
    return nil
  }

  @Test func `rows become a page and a folder of charts`() throws {
    let folder = try TemporaryFolder()
    let rows = [Measurement.example(1), .example(2, "lock-free", threads: 2)]
    let csv = try folder.file("rows.csv", containing: MeasurementCSV.text(of: rows))
    let (page, charts) = ("\(folder.path)/page.html", "\(folder.path)/charts/new")
    try run([csv, "--page", page, "--charts", charts])
    #expect(try folder.text(of: "page.html").hasSuffix("</html>\n"))
    let names = try FileManager.default.contentsOfDirectory(atPath: charts)
    #expect(names.contains("dictionary-read-heavy-throughput.svg"))
    #expect(names.allSatisfy { $0.hasSuffix(".svg") })
  }

  @Test func `a page is HTML in a folder that is there`() throws {
    let folder = try TemporaryFolder()
    let csv = try folder.file("rows.csv", containing: MeasurementCSV.text(of: [.example(1)]))
    #expect(status([csv, "--page", "\(folder.path)/page.pdf"]) == .usage)
    #expect(status([csv, "--page", "/none/page.html"]) == .usage)
    #expect(status([csv, "--page", "\(folder.path)/page.html", "--charts", csv]) == .usage)
  }

  @Test func `no rows, and a row in two files, are bad data and leave no page`() throws {
    let folder = try TemporaryFolder()
    let page = "\(folder.path)/page.html"
    let empty = try folder.file("empty.csv", containing: MeasurementCSV.text(of: []))
    let one = try folder.file("one.csv", containing: MeasurementCSV.text(of: [.example(1)]))
    #expect(status([empty, "--page", page]) == .badData)
    #expect(status([one, one, "--page", page]) == .badData)
    #expect(!FileManager.default.fileExists(atPath: page))
  }

  @Test(arguments: [
    ["--page", "a.html", "--summary", "a.csv"], ["--details", "--scaling-law"],
    ["--charts", "charts"], ["--csv", "a.csv"],
  ])
  func `options that do not belong together are refused`(_ options: [String]) {
    #expect(status(["rows.csv"] + options) == .usage)
  }

  @Test func `derived figures do not replace the rows`() throws {
    let folder = try TemporaryFolder()
    let csv = try folder.file("rows.csv", containing: MeasurementCSV.text(of: [.example(1)]))
    #expect(status([csv, "--summary", csv]) == .usage)
    #expect(status([csv, "--scaling-law", "--csv", csv]) == .usage)
    #expect(try folder.text(of: "rows.csv") == MeasurementCSV.text(of: [.example(1)]))
    try run([csv, "--summary", "\(folder.path)/summary.csv"])
    #expect(try folder.text(of: "summary.csv").contains("median"))
  }
}

@Suite struct SummaryTableTests {
  private static func trials(
    of backend: String, _ times: [Double], kind: Measurement.Kind = .subject, threads: Int = 1,
    workload: String = "read-heavy", bytes: Measurement.Bytes = .init()
  ) -> [Measurement] {
    times.enumerated().map { index, time in
      .example(
        index + 1, backend, kind: kind, threads: threads, workload: workload,
        nanosecondsPerOperation: time, bytes: bytes)
    }
  }

  // Not in the order of the table: trials are shuffled.
  private static let rows =
    trials(of: "empty-loop", [1.2, 1.25, 1.3], kind: .baseline)
    + trials(
      of: "lock-free", [20, 21.5, 22],
      bytes: .init(allocatedPerOperation: 64, livePerEntry: 0))
    + trials(of: "mutex", [60, 55, 111]) + trials(of: "ns-lock", [70], kind: .peer)

  @Test func `details line up, the best is marked, and what was not measured is no 0`() {
    #expect(
      SummaryTable(of: Self.rows, isQuick: false, details: true).text == """
        dictionary, read-heavy, 1,024 entries, 1 thread
        BACKEND                ns/op       min–max  ops/s  p50 ns  p99 ns  B/op  B/entry
        mutex                   60.0  ~   55.0–111  16.7M    41.0   1,234     –        –
        lock-free               21.5  ☆  20.0–22.0  46.5M    41.0   1,234  64.0     0.00
        ns-lock (peer)          70.0     70.0–70.0  14.3M    41.0   1,234     –        –
        empty-loop (baseline)   1.25     1.20–1.30   800M    41.0   1,234     –        –

        \(Mark.legend.joined(separator: "\n"))
        One session was measured.
        ~ trials differ by more than a factor of 2. – not measured.
        ns/op: median, as one thread sees it. B/op: allocated per operation. B/entry: live per entry.
        empty-loop: the harness around a collection that does nothing.
        """)
  }

  @Test func `in the matrix thread counts are columns and contestants keep their order`() {
    let workloads = ["read-only", "mixed", "exchange", "rapid-grow", "read-heavy"]
    let rows =
      workloads.flatMap { Self.trials(of: "lock-free", [9, 8], threads: 8, workload: $0) }
      + Self.trials(of: "mutex", [1234, 2600], threads: 8, workload: "read-heavy") + Self.rows
    let text = SummaryTable(of: rows, isQuick: true, details: false).text
    #expect(
      text.contains(
        """
        dictionary, read-heavy, 1,024 entries, ns/op
        BACKEND                1 thread     8 threads     B/op  B/entry
        mutex                      60.0  ~      1,917  ~     –        –
        lock-free                  21.5  ☆       8.50  ☆  64.0     0.00
        ns-lock (peer)             70.0             –        –        –
        empty-loop (baseline)      1.25             –        –        –
        """))
    #expect(text.hasPrefix("dictionary, read-only"))
    #expect(text.hasSuffix("This was --quick: one session, indicative, not for decisions."))
  }

  @Test func `machines and commits have tables of their own`() {
    var rows = Self.trials(of: "mutex", [10]) + Self.trials(of: "mutex", [20])
    rows[1].environment.machine = "elsewhere"
    let text = Tables.text(of: rows, isQuick: false, details: false)
    let parts = text.components(separatedBy: "\n\n# ")
    #expect(parts.count == 2 && parts[0].hasPrefix("# amd-epyc-2c"))
    #expect(parts[0].contains("10.0") && !parts[0].contains("20.0"))
    #expect(parts[1].hasPrefix("elsewhere, swift-6.3.1; 2 cores") && parts[1].contains("20.0"))
    #expect(!Tables.text(of: [rows[0]], isQuick: false, details: false).contains("#"))
  }

  @Test func `only several sessions make a best`() {
    func marks(sessions: Int) -> String {
      let rows = [("lock-free", [9.0, 8, 9]), ("mutex", [90.0, 80, 90])].flatMap { name, times in
        Self.trials(of: name, times).map { row in
          var row = row
          row.trial.session = row.trial.number % sessions
          return row
        }
      }
      let text = SummaryTable(of: rows, isQuick: false, details: true).text
      return text.first { "★☆≈".contains($0) }.map(String.init) ?? "none"
    }
    #expect(marks(sessions: 1) == "☆")
    #expect(marks(sessions: 3) == "★")
  }

  @Test func `a custom workload shows its mix`() {
    let text = SummaryTable(
      of: Self.trials(of: "mutex", [1], workload: "custom"), isQuick: false, details: false
    ).text
    #expect(
      text.hasPrefix("dictionary, custom (read=98,insert=1,remove=1), 1,024 entries, 1 thread"))
  }

  @Test func `without rows there is no table`() {
    #expect(SummaryTable(of: [], isQuick: true, details: false).text.isEmpty)
  }
}

@Suite struct ResultsFileTests {
  @Test func `rows that were written are read`() throws {
    let folder = try TemporaryFolder()
    let rows = [Measurement.example(1), .example(2, "lock-free")]
    let path = try folder.file("rows.csv", containing: MeasurementCSV.text(of: rows))
    #expect(try ResultsFile.rows(in: path) == rows)
  }

  @Test func `a damaged file is bad data, with its line and column, and no rows`() throws {
    let folder = try TemporaryFolder()
    let text = MeasurementCSV.text(of: [.example(1)]).replacing(",1024,", with: ",1024,1,")
    let path = try folder.file("rows.csv", containing: text)
    let error = try #require(throws: CommandError.self) { try ResultsFile.rows(in: path) }
    #expect(error.status == .badData)
    #expect(error.description.contains("line 3"))
  }

  @Test func `a file that is not UTF-8 is bad data, with its line`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("rows.csv", containing: MeasurementCSV.text(of: [.example(1)]))
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    data.append(contentsOf: [0x61, 0xFF, 0x0A])
    try data.write(to: URL(fileURLWithPath: path))
    let error = try #require(throws: CommandError.self) { try ResultsFile.rows(in: path) }
    #expect(error.status == .badData)
    #expect(error.description.contains("line 4: the text is not UTF-8"))
  }

  @Test func `what a shell's *.csv finds beside files of rows is not taken for one`() throws {
    let folder = try TemporaryFolder()
    let text = MeasurementCSV.text(of: [.example(1)])
    let rows = try folder.file("rows.csv", containing: text)
    let noise = try folder.file("rows.noise.csv", containing: text)
    let roles = try folder.file("rows.roles.csv", containing: RoleCSV.text(of: []))
    #expect(try ResultsFile.rows(inAll: [noise, roles, rows]) == [.example(1)])
    #expect(throws: CommandError.self) { try ResultsFile.rows(inAll: [rows, rows]) }
    #expect(try ResultsFile.rows(inAll: [noise]) == [.example(1)])
  }

  @Test func `a file that is not there is a usage error`() throws {
    let error = try #require(throws: CommandError.self) {
      try ResultsFile.rows(in: "/nowhere/rows.csv")
    }
    #expect(error.status == .usage)
    #expect(error.description.hasPrefix("'/nowhere/rows.csv' does not exist (allowed: "))
    let folder = try commandError { _ = try ResultsFile.rows(in: "/") }
    #expect(folder.description.hasPrefix("cannot read '/' (allowed: "))
  }
}
