import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Measurements
import Primitives
import Reporting
import SeededRandom
import TerminalIO
import Workloads

/// Tries whether verdicts hold on this machine: what they say of equal code, and of code that is slower.
struct VerdictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verdicts",
    abstract: "Try on this machine what verdicts say of equal code, and of a planted slowdown.",
    discussion: """
      First an A/A run measures the noise floor. Then a dictionary behind a mutex is held against itself, \
      and against itself with a planted slowdown of 10 %, or twice the floor if that is more: one in ten of its \
      operations is made twice. Each comparison is what weakbench compare would say of two files, whose \
      processes take turns; a slowdown's gets more processes until its verdict is not undecided, at most \
      \(VerdictsPlan.mostPairs) a side. No rows are written.

      Status 1 if of equal code more than one comparison in 20 leaves the floor, or more than one is called \
      better or worse; or if of the slowdown's fewer than 19 in 20 are worse, or any is the same or better.
      """)

  @Flag(help: "Two comparisons of each kind, in half a minute or so; they prove nothing.")
  var quick = false

  @Option(parsing: .unconditional, help: "Comparisons of each kind. (default: 20)")
  var runs: String?

  @Option(parsing: .unconditional, help: "Worker threads. (default: 1)")
  var threads: String?

  @Option(parsing: .unconditional, help: "What repeats the keys and the order. (default: drawn)")
  var seed: String?

  @Flag(help: "Run although this build is not fit for measuring.")
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
      // By turns, so that a slow quarter of an hour falls on both.
      let equal = try trial.equal(number)
      Console.print(equal.line("equal", number))
      tally.equal.append(equal)
      let slowed = try trial.slowed(number)
      Console.print(slowed.line("slower by \(trial.slowdownPercent) %", number))
      tally.slowed.append(slowed)
    }
    Console.print("\n" + tally.text)
    guard tally.holds else {
      throw CommandError(status: .found, description: "verdicts do not hold on this machine")
    }
  }
}

/// The validated options of `verdicts`.
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
