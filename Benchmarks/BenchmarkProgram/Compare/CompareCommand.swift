import ArgumentParser
import BenchmarkCommands
import Measurements
import Reporting
import TerminalIO

/// The command `compare`, which judges two files row by row, or the backends in one file.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two files row by row, or the backends in one file.",
    discussion: """
      Status 0: no row is slower; 1: a row is slower; 3: a row is undecided or missing;
      65: the rows must not be compared. See docs/benchmarking.md.

      EXAMPLES:
        weakbench compare before.csv after.csv
        weakbench compare rows.csv --by backend --base mutex --threads 2
        weakbench compare rows.csv --save-baseline main
        weakbench compare rows.csv --baseline main --format markdown
      """)

  @OptionGroup var options: CompareOptions

  func run() throws {
    let plan = try ComparePlan(options)
    if case .savingOnly(let file) = plan.source {
      _ = try ResultsFile.rows(inAll: [file])
      return try Self.save(plan)
    }
    let result = try CompareResult(plan)
    let text = result.text
    try OutputFile(opening: plan.output).write(text)
    result.advice.map(Console.note)
    let unsaved = plan.saveBaseline.map { "; the baseline \($0.name) is not saved" } ?? ""
    guard result.status == .fine else {
      throw CommandError(status: result.status, description: result.counts + unsaved)
    }
    guard result.isDecided else { return Console.note(result.counts + unsaved) }
    Console.note(result.counts)
    try Self.save(plan)
  }

  private static func save(_ plan: ComparePlan) throws(CommandError) {
    guard let baseline = plan.saveBaseline else { return }
    try baseline.save(fileAt: plan.source.candidate)
    Console.note("\(plan.source.candidate) is saved as the baseline \(baseline.name)")
  }
}

/// The options of `compare`, as typed; `ComparePlan` validates them.
struct CompareOptions: ParsableArguments {
  @Argument(help: "BASE and CANDIDATE, or one file; - is standard input.")
  var files: [String] = []

  @Option(help: ArgumentHelp("Compare within one file: backend.", valueName: "name"))
  var by: String?

  @Option(
    help: ArgumentHelp("With --by, the base backend. (default: mutex)", valueName: "name"))
  var base: String?

  @Option(
    help: ArgumentHelp("The column to compare. (default: ns_per_op)", valueName: "column"))
  var metric: String?

  @OptionGroup var cells: CellOptions

  // Unconditional, here and below, so that -1 is a refused number, not an unknown option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Largest difference that counts as equivalent. (default: 5%)", valueName: "percent"))
  var threshold: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Difference to ignore, assumed to be noise. (default: none)", valueName: "percent"))
  var noiseFloor: String?

  @Option(
    help: ArgumentHelp("Columns that may differ. (default: none)", valueName: "names"))
  var allowDifferent: String?

  @Flag(help: "Exit 0 although rows are undecided.")
  var allowUndecided = false

  @Option(help: ArgumentHelp("text, csv, json or markdown.", valueName: "name"))
  var format = "text"

  @Option(
    help: ArgumentHelp(
      "Write or replace a file. (default: standard output)", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("Use a saved baseline as BASE.", valueName: "name"))
  var baseline: String?

  @Option(help: ArgumentHelp("Save the rows as a baseline.", valueName: "name"))
  var saveBaseline: String?
}
