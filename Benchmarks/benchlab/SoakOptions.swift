import ArgumentParser

/// What `soak` was asked for, word for word; `SoakPlan` finds out what it means.
struct SoakOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: "How long in all, also parts such as 0.5. (default: 10)")
  var minutes: String?

  @Option(help: "weak-array, dictionary, weak-set. (default: the first two)")
  var collection: String?

  @Option(help: "Backends or peers; see list. (default: mutex,lock-free)")
  var backend: String?

  @Option(help: "Workloads; see list. (default: churn for arrays, exchange for dictionaries)")
  var workload: String?

  @Option(parsing: .unconditional, help: "Worker threads. (default: the cores)")
  var threads: String?

  @Option(parsing: .unconditional, help: "Entries in the collection. (default: 256)")
  var size: String?

  @Option(parsing: .unconditional, help: "What repeats the keys and operations. (default: drawn)")
  var seed: String?

  @Option(help: "A new file for the samples; - is standard output. (default: none)")
  var csv: String?

  @Flag(help: "Draw no progress bar.")
  var noProgress = false
}
