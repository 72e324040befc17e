import ProgramTesting
import TerminalIO
import ArgumentParser
import Foundation
import Measurements
import Testing

@testable import weakbench

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
