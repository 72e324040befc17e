import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Benchmarking
import Measurements
import Primitives
import Reporting
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
