import BenchmarkCommands
import TerminalIO
import StressTesting
import WeakCollections
import Workloads

/// What a scaling run will count, once every option is known to be allowed; nothing has been opened yet.
struct ScalingPlan {
  let trials: [ScalingTrial]
  let csv: OutputDestination?
  let chart: OutputDestination?

  init(_ options: ScalingOptions) throws(CommandError) {
    let collections = try Selection.collections(options.collection)
    let backends = try OptionText.choices(
      "backend", options.backend, among: ScalingTrial.backends, named: \.rawValue)
    let workloads = try OptionText.choices(
      "workload", options.workload, among: ScalingWorkload.allCases, named: \.rawValue)
    let cores = try OptionText("--cores", options.cores, allowed: ScalingTrial.allowedCores)
      .numbers(otherwise: [2, 4, 8, 16, 32, 64, 128])
    let seed = try Seed(option: options.seed, otherwise: .fixed).value
    csv = try options.csv.map { path throws(CommandError) in
      try OutputDestination(replacing: path, option: "--csv", endings: ["csv"])
    }
    chart = try options.chart.map { path throws(CommandError) in
      try OutputDestination(replacing: path, option: "--chart", endings: ["svg"])
    }
    trials = collections.flatMap { collection in
      backends.flatMap { backend in
        workloads.flatMap { workload in
          cores.map { count in
            ScalingTrial(
              collection: collection, backend: backend, workload: workload, cores: count,
              seed: seed)
          }
        }
      }
    }
  }
}
