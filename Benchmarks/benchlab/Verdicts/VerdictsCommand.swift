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
      Status 0: at most 1 in 20 comparisons of equal code finds a difference, and at most \
      1 in 20 with the slowdown misses it; 1: more do. --simulate measures nothing; it \
      prints how often verdicts on simulated sessions are right. See docs/benchmarking.md.
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

  @OptionGroup var seed: SeedOption

  @Flag(help: "Simulate sessions with known truth instead.")
  var simulate = false

  @OptionGroup var build: BuildFitness

  func run() throws {
    if simulate {
      let seed = try seed.seed(otherwise: .fixed)
      let tables = [VerdictPower.table(seed: seed), VerdictPower.stoppingTable(seed: seed)]
      return Console.print(
        tables.map { $0.lines.joined(separator: "\n") }.joined(separator: "\n\n"))
    }
    let plan = try VerdictsPlan(self, drawnSeed: .drawn())
    try build.check(command: "verdicts", script: "scripts/benchlab verdicts")
    Console.note("--seed \(plan.seed) repeats the keys and the order")
    let trial = KnownRatioComparison(plan, EnvironmentProbe.environment(machine: nil))
    var tally = VerdictsTally()
    for number in 1...plan.runs {
      // Both kinds take turns, so that a slow period of the machine affects both.
      let equal = try trial.judgment(slowdownPercent: 0, run: 2 * number)
      Console.print(VerdictsTally.line("equal", number, equal))
      tally.equal.append(equal)
      let slowed = try trial.judgment(
        slowdownPercent: VerdictsPlan.slowdownPercent, run: 2 * number + 1)
      Console.print(
        VerdictsTally.line("slower by \(VerdictsPlan.slowdownPercent) %", number, slowed))
      tally.slowed.append(slowed)
    }
    Console.print("\n" + tally.text)
    guard tally.holds else {
      throw CommandError(
        status: .found,
        description: "verdicts do not hold on this machine; measure on a quiet machine")
    }
  }
}

/// The validated options of `verdicts`.
struct VerdictsPlan {
  let runs: Int
  let threads: Int
  let seed: Seed
  /// The number of sessions of a comparison.
  ///
  /// It is fixed: if sessions were added until there is a verdict, the repeated tests would find
  /// differences by chance. A run that stops early uses a stricter interval; see `StoppingRule`.
  let sessions: Int

  /// The slowdown that a comparison must find.
  static let slowdownPercent = 10
  static let trialsOfSession = 4
  static let seconds = 0.1

  init(_ options: VerdictsCommand, drawnSeed: Seed) throws(CommandError) {
    runs = try OptionText("--runs", options.runs, allowed: 1...1000)
      .number(otherwise: options.quick ? 2 : 20)
    threads = try OptionText("--threads", options.threads, allowed: 1...1024).number(otherwise: 1)
    seed = try options.seed.seed(otherwise: drawnSeed)
    sessions = options.quick ? 4 : 10
  }

  /// A trial of one side of a comparison.
  struct Trial {
    /// The index of the side's contestant, 0 or 1. Names do not distinguish the sides: with equal
    /// code, both contestants have the same name.
    let side: Int
    let specification: TrialSpecification
  }

  /// Returns the trials of a session, in order. Each turn has one trial of each side, and reverses
  /// the order of the previous turn.
  func trials(of contestants: [Contestant], run: Int, session: Int) -> [Trial] {
    let ownSeed = seed.derived(for: .trial, index: run).derived(for: .trial, index: session)
    let workloads = Workload.all(for: .dictionary).filter { $0.name == "mixed" }
    return workloads.flatMap { workload in
      (0..<Self.trialsOfSession).flatMap { number in
        (0..<2).map { place in
          let side = (session + number + place) % 2
          let specification = TrialSpecification(
            contestant: contestants[side], workload: workload, threads: threads,
            entries: StandardMatrix.entries, seed: ownSeed, number: number + 1,
            session: session + 1,
            warmupSeconds: StandardMatrix.warmupSeconds(forSeconds: Self.seconds),
            seconds: Self.seconds)
          return Trial(side: side, specification: specification)
        }
      }
    }
  }
}
