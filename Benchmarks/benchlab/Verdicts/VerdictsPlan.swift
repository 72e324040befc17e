import BenchmarkCommands
import TerminalIO
import Benchmarking
import Measurements
import Reporting
import SeededRandom
import Workloads

/// What `verdicts` will do, once every option is known to be allowed.
struct VerdictsPlan {
  let runs: Int
  let threads: Int
  let seed: Seed
  /// How many processes a side has where nothing is to be found: no more are added then, or one of many
  /// looks would find something by chance.
  let pairs: Int
  let noiseProcesses: Int

  /// A slowdown is given up as undecided after so many processes a side.
  static let mostPairs = 30
  static let trialsOfProcess = 2
  static let seconds = 0.1

  init(_ options: VerdictsCommand, drawnSeed: Seed) throws(CommandError) {
    runs = try OptionText("--runs", options.runs, allowed: 1...1000)
      .number(otherwise: options.quick ? 2 : 20)
    threads = try OptionText("--threads", options.threads, allowed: 1...1024).number(otherwise: 1)
    seed = try Seed(option: options.seed, otherwise: drawnSeed)
    pairs = options.quick ? Bootstrap.valuesNeeded : 10
    noiseProcesses = options.quick ? 8 : NoiseRun.processes
  }

  /// The trials of one pair of processes, one a side, in their order: one side first and last, so that what
  /// changes steadily falls on both.
  func trials(of contestants: [Contestant], run: Int, pair: Int) -> [TrialSpecification] {
    let ownSeed = seed.derived(for: .trial, index: run).derived(for: .trial, index: pair)
    var order = SplitMix64(seed: ownSeed.derived(for: .order))
    let first = order.number(below: 2)
    let workloads = Workload.all(for: .dictionary).filter { $0.name == "mixed" }
    return workloads.flatMap { workload in
      (0..<Self.trialsOfProcess).flatMap { number in
        (0..<2).map { place in
          let side = (first + number + place) % 2
          return TrialSpecification(
            contestant: contestants[side], workload: workload, threads: threads,
            size: StandardMatrix.size, seed: ownSeed, number: number + 1,
            fork: 2 * pair + side + 1,
            warmupSeconds: StandardMatrix.warmupSeconds(forSeconds: Self.seconds),
            seconds: Self.seconds)
        }
      }
    }
  }
}
