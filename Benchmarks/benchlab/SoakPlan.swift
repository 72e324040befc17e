import BenchmarkCommands
import TerminalIO
import Benchmarking
import Measurements
import WeakCollections
import Workloads

/// What a soak will do, once every option is known to be allowed.
struct SoakPlan: Sendable {
  let specifications: [TrialSpecification]
  let seconds: Double
  let seed: Seed
  /// How long one collection is used before the next one's turn.
  let turnSeconds: Double

  init(_ options: SoakOptions, usableCores: Int, drawnSeed: Seed) throws(CommandError) {
    let collections = try Selection.collections(options.collection)
    let contestants = try Selection.contestants(
      named: options.backend ?? "mutex,lock-free", of: collections)
    let workloads = try Selection.workloads(
      named: options.workload ?? Self.workloads(for: collections), for: collections)
    let threads = try OptionText("--threads", options.threads, allowed: 1...1024)
      .number(otherwise: usableCores)
    let size = try OptionText("--size", options.size, allowed: 1...10_000_000)
      .number(otherwise: 256)
    seconds =
      60
      * (try OptionText("--minutes", options.minutes, allowed: 1...10_000).seconds(otherwise: 10))
    seed = try Seed(option: options.seed, otherwise: drawnSeed)

    let plan = TrialPlan(
      contestants: contestants, workloads: workloads, threads: [threads], sizes: [size], trials: 1,
      seed: seed, warmupSeconds: 0, seconds: 0)
    specifications = plan.specifications
    if specifications.isEmpty { throw Selection.nothingToRun(contestants, workloads) }
    // Enough samples for a narrow interval; turns of a second are long enough for anything.
    turnSeconds = min(1, seconds / Double(specifications.count * 150))
  }

  private static func workloads(for collections: [CollectionKind]) -> String {
    collections.map { $0 == .dictionary ? "exchange" : "churn" }.joined(separator: ",")
  }
}
