import ArgumentParser
import BenchmarkCommands
import Measurements
import Reporting
import TerminalIO

/// Says what got better and what worse between two files, or which backend is better within one.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Say what is better, the same or worse than before, or than another backend.",
    discussion: """
      Holds medians of trials against each other: those of BASE and CANDIDATE, two files of `weakbench \
      run`, row by row; or within one file those of every backend against one. Rows belong together if \
      all that was measured is the same: collection, workload, types, threads, size. The verdict on a row is \
      better, same, worse, or undecided if the trials do not tell; the ratio's 95 % interval (bootstrap) \
      and a Mann–Whitney test, corrected for the number of rows, must agree on it. Peers, published \
      designs and baselines are shown and marked; they do not count.

      An interval needs 6 trials a side, better and worse more: 8 for one of 300 rows. So measure with \
      --trials 10, or compare less with --filter.

      Below the noise floor no difference counts. It is what --noise-floor says; else what the A/A run shows \
      whose rows are beside CANDIDATE, or else beside BASE, as rows.noise.csv for rows.csv (weakbench run \
      --noise-floor, or weakbench list --machine --noise-floor --output rows.noise.csv), at least if it is of the same \
      machine, compiler, allocator and build; else what several processes in one file differ by; else unknown, \
      which the output says.

      STATUS: 65 if a file is damaged, no row is common, or the rows must not be compared; else 1 if a row is \
      worse; else 3 if one of ours is undecided, is missing in the candidate, or none is common, unless \
      --allow-undecided; else 0.

      METRICS: \(MetricColumn.allCases.map(\.rawValue).joined(separator: ", ")). More is better of \
      \(MetricColumn.allCases.filter { !$0.isSmallerBetter }.map(\.rawValue).joined(separator: " and ")), \
      less of the others.

      Rows that differ in these are not compared unless --allow-different says so: \
      \(Aspect.allCases.map(\.rawValue).joined(separator: ", ")). Two files may be of two commits, but each \
      of one; builds other than release count as a difference in configuration.

      BASELINES: --save-baseline NAME keeps a copy of the candidate as .weakbench/NAME.csv of the current \
      directory if all was decided and nothing found worse, or of the one FILE given, comparing nothing. \
      --baseline NAME takes it for BASE.

      EXAMPLES:
        weakbench compare before.csv after.csv
        weakbench compare rows.csv --by backend --base read-write-lock --filter threads=2
        weakbench compare before.csv after.csv --metric allocated_bytes_per_op --threshold 1%
        weakbench compare rows.csv --save-baseline main
        weakbench compare rows.csv --baseline main --format markdown --output comparison.md
      """)

  @OptionGroup var options: CompareOptions

  func run() throws {
    let plan = try ComparePlan(options)
    if case .onlySaved(let file) = plan.source {
      _ = try ResultsFile.rows(inAll: [file])
      return try Self.save(plan)
    }
    let result = try CompareResult(plan)
    let text = result.text  // Before the file is emptied.
    try OutputFile(opening: plan.output).write(text)
    result.advice.map(Console.note)
    guard result.status == .fine else {
      throw CommandError(status: result.status, description: result.counts)
    }
    Console.note(result.counts)
    if plan.saveBaseline != nil && !result.isDecided {
      return Console.note("\(plan.source.candidate) is not saved: what is undecided is no baseline")
    }
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
  @Argument(help: "BASE and CANDIDATE, or CANDIDATE alone with --baseline, or one file with --by.")
  var files: [String] = []

  @Option(help: "Compare within one file: backend.")
  var by: String?

  @Option(help: "With --by backend, whom the others are held against. (default: mutex)")
  var base: String?

  @Option(help: "The column that is compared; see below. (default: ns_per_op)")
  var metric: String?

  @Option(help: "Only rows with this text in this column, such as threads=8; may be repeated.")
  var filter: [String] = []

  // Unconditional, here and below, so that -1 is a number that is refused and not an unknown option.
  @Option(parsing: .unconditional, help: "What differs by no more is the same. (default: 5%)")
  var threshold: String?

  @Option(
    parsing: .unconditional,
    help: "By how much equal code differs on this machine. (default: of an A/A run, or the rows)")
  var noiseFloor: String?

  @Option(help: "Columns that may differ, separated by commas; see below.")
  var allowDifferent: String?

  @Flag(help: "End with status 0 although rows are undecided.")
  var allowUndecided = false

  @Option(help: "What to write: text, csv, json or markdown.")
  var format = "text"

  @Option(help: "Where it goes; the file is replaced. (default: standard output)")
  var output: String?

  @Option(help: "The base is what was saved under this name.")
  var baseline: String?

  @Option(help: "Save the candidate, or the one file, as a baseline.")
  var saveBaseline: String?
}
