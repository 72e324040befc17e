import ProgramTesting
import BenchmarkCommands
import TerminalIO
import Measurements
import Testing

@testable import weakbench

@Suite struct ResultsFileTests {
  @Test func `rows that were written are read`() throws {
    let folder = try TemporaryFolder()
    let rows = [Measurement.example(1), .example(2, "lock-free")]
    let path = try folder.file("rows.csv", containing: MeasurementCSV.text(of: rows))
    #expect(try ResultsFile.rows(in: path) == rows)
  }

  @Test func `a damaged file is bad data, with its line and column, and no rows`() throws {
    let folder = try TemporaryFolder()
    let text = MeasurementCSV.text(of: [.example(1)]).replacing("release", with: "release,1")
    let path = try folder.file("rows.csv", containing: text)
    let error = try #require(throws: CommandError.self) { try ResultsFile.rows(in: path) }
    #expect(error.status == .badData)
    #expect(error.description.contains("line 2"))
  }

  @Test func `what a shell's *.csv finds beside files of rows is not taken for one`() throws {
    let folder = try TemporaryFolder()
    let text = MeasurementCSV.text(of: [.example(1)])
    let rows = try folder.file("rows.csv", containing: text)
    let noise = try folder.file("rows.noise.csv", containing: text)
    let roles = try folder.file("rows.roles.csv", containing: RoleCSV.header + "\n")
    #expect(try ResultsFile.rows(inAll: [noise, roles, rows]) == [.example(1)])
    #expect(throws: CommandError.self) { try ResultsFile.rows(inAll: [rows, rows]) }
    #expect(try ResultsFile.rows(inAll: [noise]) == [.example(1)])
  }

  @Test func `a file that is not there is a usage error`() throws {
    let error = try #require(throws: CommandError.self) {
      try ResultsFile.rows(in: "/nowhere/rows.csv")
    }
    #expect(error.status == .usage)
  }
}
