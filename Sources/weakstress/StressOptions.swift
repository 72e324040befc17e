import ArgumentParser

/// What `stress` was asked for, word for word; `StressPlan` finds out what it means.
struct StressOptions: ParsableArguments {
  @Option(help: "weak-array, dictionary, weak-set. (default: all)")
  var collection: String?

  @Option(help: "Backends. (default: all)")
  var backend: String?

  @Option(help: "threads, schedules or both. (default: all that this build has)")
  var driver: String?

  @Option(parsing: .unconditional, help: "How long in all, also parts such as 0.5. (default: 30)")
  var seconds: String?

  @Option(parsing: .unconditional, help: "What repeats the scenarios. (default: drawn)")
  var seed: String?

  @Option(help: "Where a finding is drawn as a page; the file is replaced.")
  var html: String?

  @Option(help: "Where the table goes too: a .csv or .md file, which is replaced.")
  var summary: String?

  @Flag(help: "Draw no progress line.")
  var noProgress = false
}
