import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Primitives
import TerminalIO
import Workloads

/// The command `loop`, which times the same loop over maps in Swift, C++ and Java.
struct LoopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "loop",
    abstract: "Time one loop over dictionaries of Swift, C++ and Java.",
    usage: "benchlab loop [<options>]",
    discussion: """
      Each thread draws keys and operations while it is timed. All keys are present. \
      scripts/benchlab builds everything that the machine has. See docs/benchmarking.md.

      EXAMPLES:
        scripts/benchlab loop --csv loop.csv
        benchlab loop --backend lock-free,empty-loop --entries 1024 --mixes 0,1
        benchlab loop --backend lock-free --mixes 0 --batches 512
      """)

  @OptionGroup var options: LoopOptions

  func run() async throws {
    let plan = try LoopPlan(options)
    try options.build.check(command: "loop", script: "scripts/benchlab loop")
    MachineConditions.current(since: nil, cores: Host.usableCores).warnings.forEach(Console.note)
    let isTerminalFree = Terminal.isFree(of: plan.output ?? .replacing(path: ""))
    let journal = TrialJournal(
      LoopReport(plan), trials: plan.trials.count, estimatedSeconds: plan.estimatedSeconds,
      drawsProgress: isTerminalFree && !options.progress.noProgress
    ) { report, failures in
      let text = report.text
      // A table in the stream of rows would damage the CSV.
      plan.output == .standardOutput ? Console.writeError(text + "\n") : Console.print(text)
      return (plan.output?.write(report.csv), failures > 0 ? .found : .fine)
    }
    Interruption.observe { journal.end(as: .interrupted) }
    Console.note(
      "\(NumberText.count(plan.trials.count)) trials, about "
        + NumberText.duration(seconds: plan.estimatedSeconds))
    for trial in plan.trials {
      await journal.run(
        trial.label, estimatedSeconds: trial.estimatedSeconds, seed: plan.seed
      ) {
        let result = try await trial.contestant.run(trial.loop)
        if let fault = result.fault { throw CommandError.failed(fault) }
        return result
      } record: { result, report in
        report.add(result, of: trial)
      }
    }
    journal.end(as: .fine)
  }
}

/// The options of `loop`, as typed; `LoopPlan` validates them.
struct LoopOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Names of maps and baselines. (default: all)", valueName: "names"))
  var backend: String?

  @Option(
    help: ArgumentHelp(
      "Entries, powers of two. (default: 1024,65536,4194304)", valueName: "numbers"))
  var entries: String?

  @Option(
    help: ArgumentHelp("Percentages of replaces. (default: 0,1,10,50)", valueName: "numbers"))
  var mixes: String?

  @Option(
    help: ArgumentHelp(
      "Keys of a batch, powers of two; adds columns of reads in batches. (default: none)",
      valueName: "numbers"))
  var batches: String?

  @Option(help: ArgumentHelp("Numbers of threads. (default: 1,2)", valueName: "numbers"))
  var threads: String?

  // `.unconditional`, here and below, so that -1 is refused as a number, not as an unknown option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Trials of each figure. (default: 5)", valueName: "number"))
  var trials: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Timed seconds per trial. (default: 0.5)", valueName: "number"))
  var seconds: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seed of the draws. (default: 1)", valueName: "number"))
  var seed: String?

  @OptionGroup var java: JavaOption

  @Option(
    help: ArgumentHelp("Write or replace a CSV file. (default: none)", valueName: "file"))
  var csv: String?

  @OptionGroup var progress: ProgressOption

  @OptionGroup var build: BuildFitness
}

/// The trials of `loop`. Its initializer validates all options and opens no file.
struct LoopPlan: Sendable {
  struct Trial: Sendable {
    let contestant: LoopContestant
    let loop: DrawLoopTrial
    /// The number of the round, from 1.
    let number: Int

    var estimatedSeconds: Double { contestant.estimatedSeconds(loop) }

    /// The description in the progress bar.
    var label: String {
      "\(contestant.name), \(NumberText.count(loop.entries)) entries, "
        + LoopCell(loop).title
    }
  }

  let contestants: [LoopContestant]
  let entries: [Int]
  /// The columns of each table.
  let cells: [LoopCell]
  /// The trials of all rounds. In each cell of a round, the contestants run one after the other.
  /// Each round reverses the order of the previous one.
  let trials: [Trial]
  let rounds: Int
  let seconds: Double
  let seed: Seed
  let output: OutputDestination?

  init(_ options: LoopOptions) throws(CommandError) {
    contestants = try OptionText.choices(
      "backend", options.backend, among: LoopContestant.all(jdk: options.java.jdk),
      named: \.name)
    let entries = try OptionText("--entries", options.entries, allowed: 2...(1 << 28))
      .numbers(otherwise: [1 << 10, 1 << 16, 1 << 22])
    if let number = entries.first(where: { $0 & ($0 - 1) != 0 }) {
      throw .usage("--entries '\(number)' (allowed: powers of two, such as 1024)")
    }
    self.entries = entries
    let mixes = try OptionText("--mixes", options.mixes, allowed: 0...100)
      .numbers(otherwise: [0, 1, 10, 50])
    let threads = try OptionText("--threads", options.threads, allowed: 1...1024)
      .numbers(otherwise: [1, 2])
    rounds = try OptionText("--trials", options.trials, allowed: 1...1000).number(otherwise: 5)
    let seconds = try OptionText("--seconds", options.seconds, allowed: 1...3600)
      .seconds(otherwise: 0.5)
    self.seconds = seconds
    let seed = try Seed(option: options.seed, otherwise: .fixed)
    self.seed = seed
    output = options.csv.map { OutputDestination(replacing: $0) }
    try output?.check()
    let batches = try OptionText(
      "--batches", options.batches, allowed: DrawLoopTrial.batches
    ).numbers(otherwise: [])
    if let batch = batches.first(where: { $0 & ($0 - 1) != 0 }) {
      throw .usage("--batches '\(batch)' (allowed: powers of two, such as 512)")
    }
    let cells =
      mixes.flatMap { mix in threads.map { LoopCell(replacePercent: mix, threads: $0) } }
      + batches.flatMap { batch in threads.map { LoopCell(batch: batch, threads: $0) } }
    self.cells = cells
    let orders = [contestants, contestants.reversed()]
    let rounds = rounds
    trials = entries.flatMap { entries in
      (1...rounds).flatMap { round in
        cells.flatMap { cell in
          orders[(round - 1) % 2].filter { $0.supports(cell) }.map { contestant in
            let loop = DrawLoopTrial(
              entries: entries, replacePercent: cell.replacePercent, batch: cell.batch,
              threads: cell.threads, seed: seed.derived(for: .trial, index: round),
              warmupSeconds: 0.4 * seconds, seconds: seconds)
            return Trial(contestant: contestant, loop: loop, number: round)
          }
        }
      }
    }
  }

  var estimatedSeconds: Double { trials.reduce(0) { $0 + $1.estimatedSeconds } }
}

/// A column of the tables: a number of threads, and either a mix or the size of batches of reads.
struct LoopCell: Hashable, Sendable {
  let replacePercent: Int
  /// The number of keys per read; 1 for single reads.
  let batch: Int
  let threads: Int

  init(replacePercent: Int = 0, batch: Int = 1, threads: Int) {
    self.replacePercent = replacePercent
    self.batch = batch
    self.threads = threads
  }

  init(_ trial: DrawLoopTrial) {
    self.init(
      replacePercent: trial.replacePercent, batch: trial.batch, threads: trial.threads)
  }

  var title: String {
    (batch == 1 ? "\(replacePercent) %" : "\(batch) keys") + " ×\(threads)"
  }
}
