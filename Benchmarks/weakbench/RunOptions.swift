import ArgumentParser

/// What `run` was asked for, word for word; `RunPlan` finds out what it means.
///
/// Everything is text here, so that one place checks it and says what is allowed.
struct RunOptions: ParsableArguments {
  @Option(help: "weak-array, dictionary, weak-set. (default: the first two)")
  var collection: String?

  @Option(help: "Backends, peers or baselines; see list. (default: all)")
  var backend: String?

  @Option(help: "Workloads; see list. (default: all)")
  var workload: String?

  @Option(help: "Instead of workloads, shares in percent: read=95,insert=3,remove=2.")
  var mix: String?

  @Option(help: "Instead of workloads and threads, who does what: reader=3,writer=1; see list.")
  var roles: String?

  @Option(help: "What runs the workers: threads, gcd or tasks. (default: threads)")
  var driver: String?

  @Option(help: "What a program does, in a file of JSON; the other options win over it.")
  var profile: String?

  // Unconditional, here and below, so that -1 is a number that is refused and not an unknown option.
  @Option(
    parsing: .unconditional,
    help: "Worker threads. (default: 1, the cores, twice and four times the cores)")
  var threads: String?

  @Option(parsing: .unconditional, help: "Entries in the collection. (default: 1024)")
  var size: String?

  @Option(help: "How keys are drawn; see list: zipfian:0.99,uniform. (default: the workload's)")
  var keys: String?

  @Option(help: "A dictionary's keys: int or string. (default: int)")
  var key: String?

  @Option(help: "A dictionary's values: int or object. (default: int)")
  var value: String?

  @Option(
    parsing: .unconditional,
    help: "Timed seconds of a trial; a fifth more of warm-up. (default: 0.44)")
  var seconds: String?

  @Option(help: "closed, or open: operations start when they are due. (default: closed)")
  var mode: String?

  @Option(
    parsing: .unconditional,
    help: "In an open loop, operations a second of all threads; a list is allowed.")
  var rate: String?

  @Option(
    parsing: .unconditional,
    help: "In an open loop, percent of the capacity, which is found first. (default: 50,70,90)")
  var load: String?

  @Option(parsing: .unconditional, help: "Repetitions of each configuration. (default: 3)")
  var trials: String?

  @Option(
    parsing: .unconditional,
    help: "Processes that the repetitions are spread over, at most as many. (default: 1)")
  var forks: String?

  @Option(parsing: .unconditional, help: "What repeats a run's keys and order. (default: drawn)")
  var seed: String?

  @Option(help: "Where the rows go; - is standard output. (default: a new file here)")
  var csv: String?

  @Flag(help: "Add the rows to the file that is there.")
  var append = false

  @Flag(help: "Replace the file that is there.")
  var force = false

  @Flag(help: "Make only the trials that the file has no rows of; needs --seed.")
  var resume = false

  @Option(help: "Make one of N parts of the plan: I/N; see merge. Needs --seed.")
  var shard: String?

  @Option(help: "Leave out what takes longer than this: 90s, 10m, 1h30m.")
  var timeBudget: String?

  @Flag(help: "Only show what would be run, and how long it would take.")
  var dryRun = false

  @Flag(help: "A glance in under two minutes; its numbers decide nothing.")
  var quick = false

  @Option(help: "A folder for the latencies of each row, as HdrHistogram's tools read them.")
  var histograms: String?

  @Flag(help: "Also make a page of the rows, beside their file: rows.html for rows.csv.")
  var report = false

  @Flag(
    help: "Before, measure the noise floor by an A/A run of half a minute, into rows.noise.csv.")
  var noiseFloor = false

  @Flag(help: "Show bytes, latency and spread, one line for each backend and thread count.")
  var details = false

  @Flag(help: "Draw no progress bar.")
  var noProgress = false

  @Option(help: "This machine in the rows. (default: of processor, memory and system)")
  var machine: String?

  @Flag(help: "Run although this build is not fit for measuring; the rows say so.")
  var allowUnoptimized = false
}
