import ArgumentParser
import Measurements
import Reporting

/// Fits the universal scalability law to rows measured before.
struct ScalabilityLawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "usl",
    abstract: "Fit the universal scalability law to CSV files that `weakbench run` wrote.",
    discussion: """
      For each backend, workload and size: λ, operations in a second of one thread; σ, the share of the \
      work that waits for others; κ, what each pair of threads costs for agreeing with each other; how \
      many threads do the most together, looked for up to twice as many as were measured and no farther; \
      and R². Intervals are of 95 % (bootstrap) and need three trials of each number of threads; with \(Bootstrap.valuesNeeded) forks (processes) or \
      more, forks are drawn, each with all its trials. The law needs \
      \(ScalabilityFit.threadCountsNeeded) numbers of threads: who has fewer is named and not fitted. \
      Rows of several machines, compilers, allocators or commits are never fitted together.

      --csv writes the same with every digit: a row for each contestant, joined with trials by the columns \
      that have the same names. What could not be fitted is empty.

      `weakbench scaling` is something else: it counts cache lines on simulated cores.

      EXAMPLES:
        weakbench run --backend lock-free,mutex --threads 1,2,4,8 --trials 5 --csv rows.csv
        weakbench usl rows.csv --csv rows.usl.csv
      """)

  @Option(help: "A file for the figures, ending in .csv; it is replaced. (default: none)")
  var csv: String?

  @Argument(help: "The files, whose rows are taken together.")
  var files: [String]

  func run() throws {
    let file = try csv.map { path throws(CommandError) in
      try OutputDestination(replacing: path, option: "--csv", endings: ["csv"])
    }
    try csv.map { path throws(CommandError) in try Self.check(path, isNoneOf: files) }
    let report = BenchmarkReport(ofOurs: try ResultsFile.rows(inAll: files))
    Console.print(ScalabilityTables(report).text)
    guard let file else { return }
    let text = ScalabilityCSV(report).text  // Before the file is emptied.
    try OutputFile(opening: file).write(text)
    Console.note("\(file.name) is written")
  }

  /// Derived figures in the place of the trials would lose them.
  private static func check(_ path: String, isNoneOf files: [String]) throws(CommandError) {
    let output = OutputDestination(replacing: path)
    if files.contains(where: { OutputDestination(replacing: $0) == output }) {
      throw .usage(
        "--csv \(path.quotedOnOneLine) is one of the files read (allowed: another path)")
    }
  }
}
