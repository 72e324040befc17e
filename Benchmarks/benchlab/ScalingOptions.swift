import ArgumentParser

/// What `scaling` was asked for, word for word; `ScalingPlan` finds out what it means.
struct ScalingOptions: ParsableArguments {
  @Option(help: "weak-array, dictionary or both. (default: both)")
  var collection: String?

  @Option(help: "Backends whose synchronization is ours. (default: all)")
  var backend: String?

  @Option(help: "reads, mixed or writes. (default: all)")
  var workload: String?

  @Option(parsing: .unconditional, help: "Numbers of cores. (default: 2,4,8,16,32,64,128)")
  var cores: String?

  @Option(parsing: .unconditional, help: "What repeats the schedules. (default: 1)")
  var seed: String?

  @Option(help: "A file for the rows, ending in .csv; it is replaced. (default: none)")
  var csv: String?

  @Option(help: "A file for the chart, ending in .svg; it is replaced. (default: none)")
  var chart: String?
}
