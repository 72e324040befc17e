import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Primitives
import Reporting
import SeededRandom
import TerminalIO
import Workloads

/// The command `limits`, which compares the collections with peers, lower bounds and fixed bounds,
/// all measured in one run.
struct LimitsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Check the performance requirements against peers of the same run.",
    usage: "benchlab limits [<options>]",
    discussion: """
      Status 0: every requirement holds; 1: one does not, or a trial failed; 3: one was \
      not measured, as when this build lacks a peer (scripts/benchlab builds all). With \
      --quick, 0: every figure was measured. See docs/benchmarking.md.

      LIMITS: \(LimitCatalog.names.joined(separator: ", "))

      EXAMPLES:
        scripts/benchlab limits
        benchlab limits --only read-only,floor --trials 9
        benchlab limits --format markdown --output limits.md
      """)

  @OptionGroup var options: LimitsOptions

  func run() async throws {
    let plan = try LimitsPlan(options, drawnSeed: .drawn())
    try options.build.check(command: "limits", script: "scripts/benchlab limits")
    let load = MachineFacts.loadOfLastMinute
    MachineConditions.current(since: nil, cores: Host.usableCores).warnings.forEach(Console.note)
    let journal = TrialJournal(
      FigureTrials(), trials: plan.trials.count, estimatedSeconds: plan.estimatedSeconds,
      drawsProgress: Terminal.isFree(of: plan.output) && !options.progress.noProgress
    ) { trials, failures in
      let report = LimitsReport(plan, trials, loadBefore: load)
      let failure = plan.output.write(report.text)
      Console.note(report.summary(failures: failures))
      return (failure, report.status(failures: failures))
    }
    Interruption.observe { journal.end(as: .interrupted) }
    Console.note(
      "\(NumberText.count(plan.trials.count)) trials, about "
        + "\(NumberText.duration(seconds: plan.estimatedSeconds)); --seed \(plan.seed) repeats them"
    )
    for trial in plan.trials {
      let probe = trial.probe
      await journal.run(probe.label, estimatedSeconds: probe.estimatedSeconds, seed: plan.seed) {
        try await probe.measure(trial.seed)
      } record: { values, trials in
        for (figure, value) in values { trials.add(value, to: figure) }
      }
    }
    journal.end(as: .fine)
  }
}

/// The options of `limits`, as typed; `LimitsPlan` validates them.
struct LimitsOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Names of limits; see above. (default: all)", valueName: "names"))
  var only: String?

  // `.unconditional`, here and below, so that -1 is refused as a number, not as an unknown option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Timed seconds per trial. (default: 0.4)", valueName: "number"))
  var seconds: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Trials of each figure, at least 5. (default: 5)", valueName: "number"))
  var trials: String?

  @OptionGroup var seed: SeedOption

  @OptionGroup var java: JavaOption

  @Option(help: ArgumentHelp("text or markdown.", valueName: "name"))
  var format = "text"

  @Option(
    help: ArgumentHelp(
      "Write or replace a file. (default: standard output)", valueName: "file"))
  var output: String?

  @Flag(help: "Run short trials, whose ratios are meaningless.")
  var quick = false

  @OptionGroup var progress: ProgressOption

  @OptionGroup var build: BuildFitness
}

/// The trials of `limits`. Its initializer validates all options and opens no file.
struct LimitsPlan: Sendable {
  struct Trial: Sendable {
    let probe: LimitProbe
    let seed: Seed
  }

  static let leastTrials = 5

  let limits: [Limit]
  /// The trials of all rounds, each round in its own order.
  let trials: [Trial]
  let rounds: Int
  let timing: LimitTiming
  let seed: Seed
  let isQuick: Bool
  let format: LimitsReport.Format
  let output: OutputDestination
  /// The figures to measure, in the order of the tables.
  let figures: [Figure]

  init(_ options: LimitsOptions, drawnSeed: Seed) throws(CommandError) {
    let names = try Self.names(options.only)
    isQuick = options.quick
    let seconds = try OptionText("--seconds", options.seconds, allowed: 1...3600)
      .seconds(otherwise: isQuick ? 0.02 : 0.4)
    rounds = try OptionText(
      "--trials", options.trials, allowed: (isQuick ? 1 : Self.leastTrials)...1000
    ).number(otherwise: isQuick ? 1 : Self.leastTrials)
    seed = try options.seed.seed(otherwise: drawnSeed)
    guard let format = LimitsReport.Format(rawValue: options.format) else {
      throw .unknown(
        "format", options.format, allowed: LimitsReport.Format.allCases.map(\.rawValue))
    }
    self.format = format
    output = options.output.map { OutputDestination(replacing: $0) } ?? .standardOutput
    try output.check()
    timing = LimitTiming(seconds: seconds, warmupSeconds: seconds / 4)
    limits = LimitCatalog.limits.filter { names.contains($0.name) }
    let probes =
      (LimitCatalog.probes(timing) + MonitorProbes.all(timing) + ChooserProbe.all(timing)
      + (try Self.jdkProbes(options.java.jdk, timing, isQuick: isQuick)))
      .filter { !$0.limits.allSatisfy { !names.contains($0) } }
    figures = (probes.flatMap(\.figures) + limits.flatMap(\.quantity.figures)).withoutRepetitions
    trials = Self.shuffled(probes, rounds: rounds, seed: seed)
  }

  var estimatedSeconds: Double { trials.reduce(0) { $0 + $1.probe.estimatedSeconds } }

  /// Returns the trials in shuffled rounds.
  ///
  /// A slow minute of the machine then affects several contestants, and an interrupted run has
  /// about the same number of trials of each. All trials of a round have the same seed, so that
  /// they use the same keys.
  private static func shuffled(_ probes: [LimitProbe], rounds: Int, seed: Seed) -> [Trial] {
    (1...rounds).flatMap { number in
      var round = probes.map {
        Trial(probe: $0, seed: seed.derived(for: .trial, index: number))
      }
      var order = SplitMix64(seed: seed.derived(for: .order, index: number))
      order.shuffle(&round)
      return round
    }
  }

  private static func names(_ text: String?) throws(CommandError) -> [String] {
    let allowed = LimitCatalog.names
    guard let text else { return allowed }
    let names = try OptionText.names(in: text, option: "--only", allowed: allowed)
    if let name = names.first(where: { !allowed.contains($0) }) {
      throw .unknown("limit", name, allowed: allowed)
    }
    return names
  }

  private static func jdkProbes(
    _ folder: String?, _ timing: LimitTiming, isQuick: Bool
  ) throws(CommandError) -> [LimitProbe] {
    guard let folder else { return [] }
    // The JVM's compiler needs some time to detect hot code.
    let driver = try JavaDriver(folder: folder, warmupSeconds: isQuick ? 0.1 : 1)
    return driver.probes(timing)
  }
}
