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

/// Shows rows measured before: as a table, a page, a summary, or fitted to the universal scalability law.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show CSV files that `weakbench run` wrote.",
    discussion: """
      Without an option, prints the table that `weakbench run` ends with.

      --page writes an HTML page that needs neither the network nor a script. It says which backend is fastest \
      where, and draws throughput, latency, bytes and contention of each workload. Rows of several machines, \
      compilers, allocators or commits are shown one after the other and never mixed. --charts also writes the \
      charts as SVG files, named by collection, workload and figure; a file of the same name is replaced.

      --summary writes a line for each series and metric: trials, forks (processes), the median with its 95 % \
      interval (bootstrap), and the variance within and between forks. With \(Bootstrap.valuesNeeded) forks or \
      more the median is that of the forks' medians, else that of the trials; median_of says which. Intervals \
      over two forks or more draw forks, and with fewer than \(Bootstrap.valuesNeeded) also their trials. \
      Variances are those of a one-way analysis of variance with random effects (Searle, Casella and McCulloch, \
      1992); a negative estimate is 0. Fields that the trials do not determine are empty.

      --scaling-law fits the universal scalability law for each backend, workload and size: λ, operations per \
      second of one thread; σ, the fraction of the work that waits for other threads; κ, the cost of coherency \
      for each pair of threads; the number of threads with the highest throughput, searched up to twice as many \
      as were measured; and R². Intervals are of 95 % (bootstrap) and need three trials of each number of \
      threads. The fit needs \(ScalabilityFit.threadCountsNeeded) numbers of threads. --csv writes the figures \
      with every digit, joined with trials by the columns of the same names.

      EXAMPLES:
        weakbench show rows.csv --details
        weakbench show results/*/*.csv --page report.html --charts charts
        weakbench show rows.csv --summary rows.summary.csv
        weakbench show rows.csv --scaling-law --csv rows.usl.csv
      """)

  @Flag(help: "Show bytes, latency and spread, one line for each backend and thread count.")
  var details = false

  @Option(help: "Write an HTML page, ending in .html; it is replaced.")
  var page: String?

  @Option(help: "With --page, a folder for the charts as SVG files; made if missing.")
  var charts: String?

  @Option(
    help:
      "Write medians, intervals and variances as CSV; the file is replaced, - is standard output.")
  var summary: String?

  @Flag(help: "Fit the universal scalability law and print it.")
  var scalingLaw = false

  @Option(help: "With --scaling-law, a file for the figures, ending in .csv; it is replaced.")
  var csv: String?

  @Argument(help: "The files, whose rows are taken together.")
  var files: [String]

  func run() throws {
    try checkCombination()
    if let page { return try write(page: page) }
    if let summary { return try write(summary: summary) }
    if scalingLaw { return try showScalingLaw() }
    let rows = try ResultsFile.rows(inAll: files)
    Console.print(Tables.text(of: rows, isQuick: false, details: details))
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
    let rows = try ResultsFile.rows(inAll: files)
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
    try Self.check(path, of: "--summary", isNoneOf: files)
    let rows = try ResultsFile.rows(inAll: files)
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
      try Self.check(path, of: "--csv", isNoneOf: files)
      return file
    }
    let report = BenchmarkReport(ofOurs: try ResultsFile.rows(inAll: files))
    Console.print(ScalabilityTables(report).text)
    guard let file else { return }
    let text = ScalabilityCSV(report).text  // Before the file is emptied.
    try OutputFile(opening: file).write(text)
    Console.note("\(file.name) is written")
  }

  /// Refuses to replace trials by figures derived from them.
  private static func check(
    _ path: String, of option: String, isNoneOf files: [String]
  ) throws(CommandError) {
    let output = OutputDestination(replacing: path)
    guard output != .standardOutput,
      files.contains(where: { OutputDestination(replacing: $0) == output })
    else { return }
    throw .usage(
      "\(option) \(path.quotedOnOneLine) is one of the files read (allowed: another path)")
  }
}

extension BenchmarkReport {
  /// Of rows with our names; the same rows give the same report, intervals included.
  init(ofOurs rows: [Measurement]) {
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

extension ReportCatalog {
  /// Everything that `run` can be asked for, in the order of `list`.
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
      // Not in the order of a collection: some have fewer.
      backends: Backend.allCases.map(\.rawValue),
      peers: names { $0.kind == .peer && !$0.isPublishedDesign },
      publishedDesigns: names(\.isPublishedDesign), baselines: names { $0.kind == .baseline })
  }
}

extension OutputFolder {
  func write(_ files: [ChartFile]) throws(CommandError) {
    for file in files { try write(file.svg, to: file.name) }
    Console.note("\(path) has \(NumberText.count(files.count)) charts")
  }

  /// A file for each kind of latency that was recorded, named by the row.
  func write(_ distributions: [LatencyDistribution], ofRow row: String) throws(CommandError) {
    for distribution in distributions where distribution.count > 0 {
      try write(distribution.text, to: "\(row).\(distribution.name).hgrm")
    }
  }
}
