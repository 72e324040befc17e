import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Reporting
import SeededRandom
import TerminalIO
import WeakCollections
import Workloads

/// The command `show`, which prints rows as a table, a page, a summary, or fitted to the universal
/// scalability law.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show CSV files that `weakbench run` wrote.",
    usage: "weakbench show [<options>] <files> ...",
    discussion: """
      Without an option, print the table of `weakbench run`. Rows of several machines,
      compilers, allocators or commits are never mixed. See docs/benchmarking.md.

      EXAMPLES:
        weakbench show rows.csv --collection dictionary --threads 1,2
        weakbench show *.csv --page report.html --charts charts
        weakbench show rows.csv --summary rows.summary.csv
        weakbench show rows.csv --scaling-law --csv rows.usl.csv
      """)

  @Flag(help: "Show bytes, latency and spread, one line per series.")
  var details = false

  @Option(
    help: ArgumentHelp("Write or replace an HTML page. (default: none)", valueName: "file"))
  var page: String?

  @Option(
    help: ArgumentHelp(
      "With --page, a folder for SVG charts. (default: none)", valueName: "folder"))
  var charts: String?

  @Option(
    help: ArgumentHelp(
      "Write or replace a CSV file of medians, intervals and variances; - is standard output. "
        + "(default: none)", valueName: "file"))
  var summary: String?

  @Flag(help: "Fit the universal scalability law and print it.")
  var scalingLaw = false

  @Option(
    help: ArgumentHelp(
      "With --scaling-law, write or replace a CSV file of its figures. (default: none)",
      valueName: "file"))
  var csv: String?

  @OptionGroup var cells: CellOptions

  @Argument(help: "The files, whose rows are combined; - is standard input.")
  var files: [String]

  func run() throws {
    try checkCombination()
    if let page { return try write(page: page) }
    if let summary { return try write(summary: summary) }
    if scalingLaw { return try showScalingLaw() }
    let rows = try rows()
    Console.print(Tables.text(of: rows, isQuick: false, details: details))
  }

  private func rows() throws(CommandError) -> [Measurement] {
    try cells.applied(to: try ResultsFile.rows(inAll: files))
  }

  private func checkCombination() throws(CommandError) {
    let forms = [
      ("--details", details), ("--page", page != nil), ("--summary", summary != nil),
      ("--scaling-law", scalingLaw),
    ].filter(\.1).map(\.0)
    guard forms.count <= 1 else {
      throw .usage("\(forms.joined(separator: " and ")) exclude each other (allowed: one of them)")
    }
    guard charts == nil || page != nil else {
      throw .usage("--charts needs --page (allowed: --page PATH --charts FOLDER)")
    }
    guard csv == nil || scalingLaw else {
      throw .usage("--csv needs --scaling-law (allowed: --scaling-law --csv PATH)")
    }
  }

  private func write(page path: String) throws {
    let page = try OutputDestination(replacing: path, option: "--page", endings: ["html"])
    try page.check(isNoneOf: ResultsFile.withSidecars(files))
    let rows = try rows()
    let report = BenchmarkReport(ofOurs: rows)
    let folder = try charts.map { path throws(CommandError) in
      try OutputFolder(path, option: "--charts")
    }
    try report.write(to: page, rows: rows.count)
    try folder?.write(report.chartFiles)
  }

  private func write(summary path: String) throws {
    let destination = OutputDestination(replacing: path)
    try destination.check()
    try destination.check(isNoneOf: ResultsFile.withSidecars(files))
    let rows = try rows()
    let summary = SummaryCSV(of: rows, drawingFrom: SplitMix64(seed: Seed.fixed))
    try OutputFile(opening: destination).write(summary.text)
    guard destination != .standardOutput else { return }
    Console.note(
      "\(destination.name) is written: \(NumberText.count(summary.lines)) medians of "
        + "\(NumberText.count(summary.series)) series")
  }

  private func showScalingLaw() throws {
    let file = try csv.map { path throws(CommandError) in
      let file = try OutputDestination(replacing: path, option: "--csv", endings: ["csv"])
      try file.check(isNoneOf: ResultsFile.withSidecars(files))
      return file
    }
    let report = BenchmarkReport(ofOurs: try rows())
    Console.print(ScalabilityTables(report).text)
    guard let file else { return }
    let text = ScalabilityCSV(report).text
    try OutputFile(opening: file).write(text)
    Console.note("\(file.name) is written")
  }
}

extension BenchmarkReport {
  /// Creates a report with this program's catalog; the same rows give the same report, intervals
  /// included.
  init(ofOurs rows: [Measurement]) {
    self.init(of: rows, catalog: .ours, drawingFrom: SplitMix64(seed: Seed.fixed))
  }

  /// Writes the page and reports it.
  func write(to page: OutputDestination, rows: Int) throws(CommandError) {
    let html = ReportPage(self).html
    try OutputFile(opening: page).write(html)
    Console.note(
      "\(page.name) is written: \(NumberText.count(rows)) rows, "
        + "\(NumberText.count(chartCount)) charts")
  }
}

extension ReportCatalog {
  /// The names of everything that `run` can measure, in the order of `list`.
  static var ours: ReportCatalog {
    let contestants = CollectionKind.allCases.flatMap { Contestant.all(for: $0) }
    func names(_ isWanted: (Contestant) -> Bool) -> [String] {
      contestants.filter(isWanted).map(\.name).withoutRepetitions
    }
    return ReportCatalog(
      collections: CollectionKind.allCases.map(\.rawValue),
      workloads: Dictionary(
        uniqueKeysWithValues: CollectionKind.allCases.map { collection in
          (collection.rawValue, Workload.all(for: collection.subject).map(\.name))
        }),
      // Not in the order of one collection, because some collections have fewer backends.
      backends: Backend.allCases.map(\.rawValue), standardBackend: Backend.standard.rawValue,
      peers: names { $0.kind == .peer && !$0.isPublishedDesign },
      publishedDesigns: names(\.isPublishedDesign), baselines: names { $0.kind == .baseline })
  }
}

extension OutputFolder {
  func write(_ files: [ChartFile]) throws(CommandError) {
    for file in files { try write(file.svg, to: file.name) }
    Console.note("\(path) has \(NumberText.count(files.count)) charts")
  }

  /// Writes one file per recorded kind of latency, with the name of the row.
  func write(_ distributions: [LatencyDistribution], ofRow row: String) throws(CommandError) {
    for distribution in distributions where distribution.count > 0 {
      try write(distribution.text, to: "\(row).\(distribution.name).hgrm")
    }
  }
}
