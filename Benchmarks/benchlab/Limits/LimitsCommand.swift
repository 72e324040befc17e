import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Benchmarking
import Charts
import Measurements
import Primitives
import Reporting
import Workloads

/// Holds the collections against peers, floors and fixed bounds, all measured in one run.
struct LimitsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Measure what must be reached: ratios to peers and floors of the same run.",
    discussion: """
      Prints every figure and then each limit: what is compared, the ratio, what must be reached and what \
      is aimed at. A figure is the median of its trials; all trials of a run are made in shuffled \
      rounds. What could not be measured is empty, and what rests on it neither met nor missed. Other \
      languages' maps need a build with the trait Peers, bytes one with Jemalloc, the JDK its \
      driver: scripts/limits has all of them.

      Status 0: every must is met; 1: one is missed, or a trial failed; 3: none is missed, but one \
      was not measured. With --quick, whose ratios mean nothing, 0: every figure was measured.

      LIMITS: \(LimitCatalog.names.joined(separator: ", "))

      EXAMPLES:
        scripts/limits
        benchlab limits --only read-only,floor --trials 9
        benchlab limits --format markdown --output limits.md
      """)

  @OptionGroup var options: LimitsOptions

  func run() async throws {
    let plan = try LimitsPlan(options, drawnSeed: .drawn())
    try BuildFitness.check(
      allowsUnoptimized: options.allowUnoptimized, command: "limits", script: "scripts/limits")
    let load = MachineFacts.loadOfLastMinute
    MachineConditions.current(since: nil, cores: Host.usableCores).warnings.forEach(Console.note)
    let journal = LimitsJournal(
      plan, loadBefore: load, drawsProgress: Terminal.isFree(of: plan.output) && !options.noProgress
    )
    Interruption.observe { journal.end(as: .interrupted) }
    Console.note(
      "\(NumberText.count(plan.trials.count)) trials, about "
        + "\(NumberText.duration(seconds: plan.estimatedSeconds)); --seed \(plan.seed) repeats them"
    )
    for (done, trial) in plan.trials.enumerated() {
      journal.begin(trial, after: done)
      do {
        journal.finish(trial, try await trial.probe.measure(trial.seed))
      } catch {
        journal.fail(trial, "\(error)")
      }
    }
    journal.end(as: .fine)
  }
}
