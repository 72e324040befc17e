import ArgumentParser
import Benchmarking
import Measurements
import Primitives
import Workloads

/// Measures: makes the trials, writes a row for each, and shows a table of them.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Measure, write one CSV row for each trial, and show a table.",
    discussion: RunHelp.text)

  @OptionGroup var options: RunOptions

  func run() async throws {
    // Not the system's generator itself: ThreadSanitizer crashes on a change of a value without size.
    var generator = SplitMix64(seed: UInt64.random(in: .min ... .max))
    let start = UTCTime.now
    let whole = try RunPlan(
      options, usableCores: Host.usableCores, drawnSeed: .random(using: &generator))
    let destination = try OutputDestination(
      options, defaultName: "weakbench-\(start.compact).csv")
    try EnvironmentProbe.check(machine: options.machine)
    let page = try options.report ? destination.page() : nil
    let roles = try options.roles.map { _ throws(CommandError) in try destination.roles() }
    let noise =
      try options.noiseFloor
      ? destination.beside(ending: NoiseFile.ending, option: "--noise-floor") : nil
    try destination.check()
    try roles?.check(columns: RoleCSV.columnNames)
    try page?.check()
    try noise?.check()
    let environment = EnvironmentProbe.environment(machine: options.machine)
    var (plan, earlier) = try Self.resumed(whole, options, destination, environment)
    if options.dryRun { return Self.show(plan, destination) }
    try BuildFitness.check(allowsUnoptimized: options.allowUnoptimized)
    let histograms = try options.histograms.map { path throws(CommandError) in
      try OutputFolder(path, option: "--histograms")
    }
    await Preamble.announce(plan, destination)
    try await plan.findCapacities(note: Console.note) { trial throws(TrialFailure) in
      try await trial.run()
    }

    let template = RowTemplate(
      run: RowTemplate.runName(at: start, using: &generator), environment: environment,
      plan: PlanName.text(of: whole.whole.map(PlannedRow.init), in: environment),
      shard: whole.shard?.name)
    let journal = RunJournal(
      plan, template: template, sink: try RowSink(opening: destination, roles: roles),
      histograms: histograms,
      drawsProgress: Terminal.isFree(of: destination) && !options.noProgress)
    let ending = RunEnding(
      total: whole.trials.count, destination: destination, page: page, isQuick: options.quick,
      details: options.details, earlier: earlier)
    Interruption.observe { journal.close { ending.exit($0, failures: $1, as: .interrupted) } }

    do {
      if let noise {
        let measured = try NoiseRun.measure(template.environment, rows: noise)
        Console.writeError(NoiseText(measured).text + "\n")
      }
      let forks = try plan.forks == 1 ? nil : Forks(for: plan.trials)
      try await Self.makeTrials(of: plan, journal) { trial throws(TrialFailure) in
        if let forks { try forks.run(trial) } else { try await trial.run() }
      }
    } catch {
      Console.note(error.description)
      journal.close { ending.exit($0, failures: $1, as: .failed) }
    }
    journal.close { ending.exit($0, failures: $1, as: $1 == 0 ? .fine : .found) }
  }

  /// What is left of a plan, and the rows that the file has of the rest.
  private static func resumed(
    _ plan: RunPlan, _ options: RunOptions, _ destination: OutputDestination,
    _ environment: Measurement.Environment
  ) throws(CommandError) -> (plan: RunPlan, rows: [Measurement]) {
    guard options.resume, case .appending(let path) = destination,
      let rows = try ResultsFile.rows(inResumable: path)
    else { return (plan, []) }
    let missing = try PlanResuming(plan: plan, environment: environment)
      .missing(in: path, rows: rows)
    return (plan.making(missing), rows)
  }

  /// For `--dry-run`.
  private static func show(_ plan: RunPlan, _ destination: OutputDestination) {
    Preamble.lines(plan, destination).forEach(Console.note)
    if !plan.trials.isEmpty { Console.print(PlanTable(plan: plan).text) }
  }

  /// One after the other. Failed trials are noted; what cannot be written ends the run.
  static func makeTrials(
    of plan: RunPlan, _ journal: RunJournal,
    by run: (TrialSpecification) async throws(TrialFailure) -> TrialResult
  ) async throws(CommandError) {
    for (done, trial) in plan.trials.enumerated() {
      journal.begin(trial, after: done)
      let result: TrialResult
      do {
        result = try await run(trial)
      } catch {
        journal.fail(error)
        continue
      }
      try journal.finish(trial, result)
    }
  }
}
