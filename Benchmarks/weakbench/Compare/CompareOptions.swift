import ArgumentParser

/// What `compare` was asked for, word for word; `ComparePlan` finds out what it means.
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
