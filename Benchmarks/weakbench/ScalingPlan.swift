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
    let backends = try Self.choices(
      "backend", options.backend, among: ScalingTrial.backends, named: \.rawValue)
    let workloads = try Self.choices(
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

  private static func choices<Choice>(
    _ what: String, _ text: String?, among all: [Choice], named name: (Choice) -> String
  ) throws(CommandError) -> [Choice] {
    guard let text else { return all }
    let allowed = all.map(name)
    let names = try OptionText.names(in: text, option: "--\(what)", allowed: allowed)
    if let wrong = names.first(where: { !allowed.contains($0) }) {
      throw .unknown(what, wrong, allowed: allowed)
    }
    return all.filter { names.contains(name($0)) }
  }
}
