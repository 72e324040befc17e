import ArgumentParser
import Charts
import Foundation
import Measurements
import Reporting
import SeededRandom
import Workloads

/// Makes a page of rows measured before.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Make an HTML page of CSV files that `weakbench run` wrote.",
    discussion: """
      The page needs nothing else: no network, and no script to show all there is. It says which backend \
      wins where, and draws throughput, latency, bytes and contention of each workload. Rows of several \
      machines, compilers, allocators or commits are shown one after the other and never mixed.

      --charts writes the same charts as SVG files, named by collection, workload and figure; they \
      follow the reader's light or dark by themselves. A file of the same name is replaced.

      EXAMPLES:
        weakbench report results/*/*.csv --output report.html
        weakbench report rows.csv --output report.html --charts charts
      """)

  @Option(help: "The page, ending in .html; it is replaced.")
  var output: String

  @Option(help: "A folder for the charts as SVG files; made if it is not there. (default: none)")
  var charts: String?

  @Argument(help: "The files, whose rows are taken together.")
  var files: [String]

  func run() throws {
    let page = try OutputDestination(replacing: output, option: "--output", endings: ["html"])
    let rows = try ResultsFile.rows(inAll: files)
    let report = BenchmarkReport(ofOurs: rows)
    let folder = try charts.map { path throws(CommandError) in
      try OutputFolder(path, option: "--charts")
    }
    try report.write(to: page, rows: rows.count)
    try folder?.write(report.chartFiles)
  }
}

extension BenchmarkReport {
  /// Of rows with our names; the same rows give the same report, intervals included.
  init(ofOurs rows: [Measurements.Measurement]) {
    self.init(of: rows, catalog: .ours, drawingFrom: SplitMix64(seed: Seed.fixed))
  }

  /// Writes the page and says so.
  func write(to page: OutputDestination, rows: Int) throws(CommandError) {
    let html = ReportPage(self).html  // Before the file is emptied.
    try OutputFile(opening: page).write(html)
    Console.note(
      "\(page.name) is written: \(NumberText.count(rows)) rows, "
        + "\(NumberText.count(chartCount)) charts")
  }
}
