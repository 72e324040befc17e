import BenchmarkCommands
import TerminalIO
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
    let start = UTCTime.now
    let whole = try RunPlan(options, usableCores: Host.usableCores, drawnSeed: .drawn())
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

    let ending = RunEnding(
      total: whole.trials.count, destination: destination, page: page, isQuick: options.quick,
      details: options.details, earlier: earlier)
    try await MeasuringRun(
      plan: plan, whole: whole, environment: environment, destination: destination, roles: roles,
      histograms: histograms, noise: noise,
      drawsProgress: Terminal.isFree(of: destination) && !options.noProgress
    ).run(from: start) { ending.exit($0, failures: $1, as: $2) }
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
}
