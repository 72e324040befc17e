import Benchmarking
import Measurements
import WeakCollections
import Workloads

/// What a run will do, once every option is known to be allowed; nothing has been opened yet.
struct RunPlan: Sendable {
  let trials: [TrialSpecification]
  let seed: Seed
  let isQuick: Bool

  var estimatedSeconds: Double { trials.reduce(0) { $0 + $1.estimatedSeconds } }

  /// Checks the options that choose what is measured; the error is one line that lists what is allowed.
  init(
    _ options: RunOptions, usableCores: Int, drawnSeed: Seed
  ) throws(CommandError) {
    let collections = try Selection.collections(options.collection)
    let contestants = try Selection.contestants(options, of: collections)
    let workloads = try Selection.workloads(options, for: collections)
    let threads = try Self.threads(options, usableCores: usableCores)
    let sizes = try OptionText("--size", options.size, allowed: 1...10_000_000)
      .numbers(otherwise: [StandardMatrix.size])
    let trials = try OptionText("--trials", options.trials, allowed: 1...1000)
      .number(otherwise: options.quick ? StandardMatrix.quickTrials : StandardMatrix.trials)
    let seconds = try OptionText("--seconds", options.seconds, allowed: 1...3600)
      .seconds(otherwise: options.quick ? StandardMatrix.quickSeconds : StandardMatrix.seconds)

    seed = try Seed(option: options.seed, otherwise: drawnSeed)
    isQuick = options.quick
    let plan = TrialPlan(
      contestants: contestants, workloads: workloads, threads: threads, sizes: sizes,
      trials: trials, seed: seed,
      warmupSeconds: StandardMatrix.warmupSeconds(forSeconds: seconds), seconds: seconds)
    let everything = options.threads != nil || options.backend != nil || options.quick
    self.trials = plan.specifications.filter { trial in
      everything
        || StandardMatrix.includes(
          trial.contestant.kind, threads: trial.threads, usableCores: usableCores)
    }
    if self.trials.isEmpty { throw Selection.nothingToRun(contestants, workloads) }
  }

  private static func threads(
    _ options: RunOptions, usableCores: Int
  ) throws(CommandError) -> [Int] {
    try OptionText("--threads", options.threads, allowed: 1...1024).numbers(
      otherwise: options.quick
        ? StandardMatrix.quickThreads : StandardMatrix.threads(usableCores: usableCores))
  }
}
