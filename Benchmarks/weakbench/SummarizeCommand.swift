import ArgumentParser
import Charts
import Measurements
import Reporting
import SeededRandom
import Workloads

/// Derives numbers from rows measured before, into a file of their own.
struct SummarizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summarize",
    abstract: "Write medians, intervals and variances of the rows that `weakbench run` wrote.",
    discussion: """
      A line for each series and metric: trials, forks (processes), the median with its 95 % interval \
      (bootstrap), and the variance within and between forks. With \(Bootstrap.valuesNeeded) forks or more the median \
      is that of the forks' medians, else that of the trials; median_of says which. Of two forks or more the \
      interval has what forks differ by: forks are drawn, and of fewer than \(Bootstrap.valuesNeeded) their trials too. Variances are those of \
      a one-way analysis of variance with random effects (Searle, Casella and McCulloch, 1992); one \
      that comes out below nothing is 0. What the trials do not tell is empty: an interval of fewer than \
      \(Bootstrap.valuesNeeded) values, variances of one fork or of one trial in each.

      EXAMPLES:
        weakbench summarize rows.csv                 # writes rows.summary.csv
        weakbench summarize results/*/*.csv --output - | head
      """)

  @Option(
    help:
      "Where it goes; the file is replaced, - is standard output. (default: beside the one file)")
  var output: String?

  @Argument(help: "The files, whose rows are taken together.")
  var files: [String]

  func run() throws {
    let destination = try Self.destination(output, for: files)
    try destination.check()
    let rows = try ResultsFile.rows(inAll: files)
    let summary = SummaryCSV(of: rows, drawingFrom: SplitMix64(seed: Seed.fixed))
    try OutputFile(opening: destination).write(summary.text)
    guard destination != .standardOutput else { return }
    Console.note(
      "\(destination.name) is written: \(NumberText.count(summary.lines)) medians of "
        + "\(NumberText.count(summary.series)) series")
  }

  static func destination(
    _ output: String?, for files: [String]
  ) throws(CommandError) -> OutputDestination {
    if let output { return OutputDestination(replacing: output) }
    guard files.count == 1, let file = files.first else {
      throw .usage("summarize of several files needs --output (allowed: a path, or -)")
    }
    let name = file.hasSuffix(".csv") ? String(file.dropLast(4)) : file
    return OutputDestination(replacing: "\(name).summary.csv")
  }
}
