import ArgumentParser

/// What `limits` was asked for, word for word; `LimitsPlan` finds out what it means.
struct LimitsOptions: ParsableArguments {
  @Option(help: "Limits by name; see below. (default: all)")
  var only: String?

  // Unconditional, here and below, so that -1 is a number that is refused and not an unknown option.
  @Option(
    parsing: .unconditional,
    help: "Timed seconds of a trial; a quarter more of warm-up. (default: 0.4)")
  var seconds: String?

  @Option(parsing: .unconditional, help: "Trials of each figure, at least 5. (default: 5)")
  var trials: String?

  @Option(
    parsing: .unconditional, help: "What repeats the run's keys and order. (default: drawn)")
  var seed: String?

  @Option(help: "The folder with the compiled Java driver. (default: none, and no row of the JDK)")
  var jdk: String?

  @Option(help: "What to write: text, csv or markdown.")
  var format = "text"

  @Option(help: "Where it goes; the file is replaced. (default: standard output)")
  var output: String?

  @Flag(help: "One very short trial of each: whether all can be measured, not how fast it is.")
  var quick = false

  @Flag(help: "Draw no progress bar.")
  var noProgress = false

  @Flag(help: "Run although this build is not fit for measuring.")
  var allowUnoptimized = false
}
