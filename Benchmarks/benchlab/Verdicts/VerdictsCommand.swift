import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Measurements
import Primitives
import Reporting
import SeededRandom
import TerminalIO
import Workloads

/// The command `verdicts`, which tests the verdicts of comparisons on this machine, with equal code
/// and with slower code.
struct VerdictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verdicts",
    abstract: "Test verdicts on this machine, with equal code and a seeded slowdown.",
    usage: "benchlab verdicts [<options>]",
    discussion: """
      Status 0: comparisons of equal code find no difference, and comparisons with the \
      slowdown find it, but for 1 in 20; 1: they do not. See docs/benchmarking.md.
      """)

  @Flag(help: "Run two comparisons of each kind, which prove nothing.")
  var quick = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Comparisons of each kind. (default: 20)", valueName: "number"))
  var runs: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Worker threads. (default: 1)", valueName: "number"))
  var threads: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seed of the keys and the order. (default: random)", valueName: "number"))
  var seed: String?

  @Flag(help: "Run in a build that is not fit for measuring.")
  var allowUnoptimized = false

  func run() throws {
    let plan = try VerdictsPlan(self, drawnSeed: .drawn())
    try BuildFitness.check(
      allowsUnoptimized: allowUnoptimized, command: "verdicts", script: "scripts/test-verdicts")
    let environment = EnvironmentProbe.environment(machine: nil)
    let noise = try NoiseRun.measure(environment, rows: nil, processes: plan.noiseProcesses)
    Console.print(NoiseText(noise).text + "\n")
    Console.note("--seed \(plan.seed) repeats the keys and the order")
    let trial = VerdictsTrial(plan, environment, noise)
    var tally = VerdictsTally(slowdownPercent: trial.slowdownPercent)
    for number in 1...plan.runs {
      // In turns, so that a slow period of the machine affects both kinds.
      let equal = try trial.equal(number)
      Console.print(equal.line("equal", number))
      tally.equal.append(equal)
      let slowed = try trial.slowed(number)
      Console.print(slowed.line("slower by \(trial.slowdownPercent) %", number))
      tally.slowed.append(slowed)
    }
    Console.print("\n" + tally.text)
    guard tally.holds else {
      throw CommandError(
        status: .found,
        description: "verdicts do not hold on this machine; measure on a quiet machine, or with "
          + "more processes")
    }
  }
}

/// The validated options of `verdicts`.
struct VerdictsPlan {
  let runs: Int
  let threads: Int
  let seed: Seed
  /// The number of processes per side in comparisons of equal code.
  ///
  /// It is fixed: if processes were added until a verdict, one of many tests would find a
  /// difference by chance.
  let pairs: Int
  let noiseProcesses: Int

  /// The number of processes per side after which a slowdown remains undecided.
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

  /// Returns the trials of a pair of processes, one per side, in order.
  ///
  /// One side is first and last, so that a steady change of the machine affects both.
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
