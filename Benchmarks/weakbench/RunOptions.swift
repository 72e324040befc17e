import ArgumentParser

/// What `run` was asked for, word for word; `RunPlan` finds out what it means.
///
/// Everything is text here, so that one place checks it and says what is allowed.
struct RunOptions: ParsableArguments {
  @Option(help: "weak-array, dictionary or both. (default: both)")
  var collection: String?

  @Option(help: "Backends, peers or baselines; see list. (default: all)")
  var backend: String?

  @Option(help: "Workloads; see list. (default: all)")
  var workload: String?

  @Option(help: "Instead of workloads, shares in percent: read=95,insert=3,remove=2.")
  var mix: String?

  // Unconditional, here and below, so that -1 is a number that is refused and not an unknown option.
  @Option(
    parsing: .unconditional,
    help: "Worker threads. (default: 1, the cores, twice and four times the cores)")
  var threads: String?

  @Option(parsing: .unconditional, help: "Entries in the collection. (default: 1024)")
  var size: String?

  @Option(
    parsing: .unconditional,
    help: "Timed seconds of a trial; a fifth more of warm-up. (default: 0.5)")
  var seconds: String?

  @Option(parsing: .unconditional, help: "Repetitions of each configuration. (default: 3)")
  var trials: String?

  @Option(parsing: .unconditional, help: "What repeats a run's keys and order. (default: drawn)")
  var seed: String?

  @Option(help: "Where the rows go; - is standard output. (default: a new file here)")
  var csv: String?

  @Flag(help: "Add the rows to the file that is there.")
  var append = false

  @Flag(help: "Replace the file that is there.")
  var force = false

  @Flag(help: "A glance in under two minutes; its numbers decide nothing.")
  var quick = false

  @Flag(help: "Show bytes, latency and spread, one line for each backend and thread count.")
  var details = false

  @Flag(help: "Draw no progress bar.")
  var noProgress = false

  @Option(help: "This machine in the rows. (default: of processor, memory and system)")
  var machine: String?

  @Flag(help: "Run although this build is not fit for measuring; the rows say so.")
  var allowUnoptimized = false
}
