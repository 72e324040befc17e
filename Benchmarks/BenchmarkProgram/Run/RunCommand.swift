import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Measurements
import Primitives
import TerminalIO
import Workloads

/// The command `run`, which runs trials, writes a row for each, and prints a table.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Measure, write one CSV row per trial, and print a table.",
    discussion: """
      Status 0: every trial passed; 1: a trial failed; 2: a row cannot be written.
      Examples: weakbench run --quick; weakbench run --backend mutex,lock-free
      """)

  @OptionGroup var options: RunOptions

  func run() async throws {
    let start = UTCTime.now
    let destination = try OutputDestination(
      options, defaultName: "weakbench-\(start.compact).csv")
    if let profile = options.operations.profile { try destination.check(isNoneOf: [profile]) }
    var plan = try RunPlan(options, usableCores: Host.usableCores, drawnSeed: .drawn())
    try EnvironmentProbe.check(machine: options.machine)
    let page = try options.report ? destination.page() : nil
    let roles = try options.roles.map { _ throws(CommandError) in try destination.roles() }
    try destination.check(MeasurementWriter.self, parts: plan.parts)
    try roles?.check(RoleWriter.self, parts: plan.parts)
    try page?.check(unless: RunOptions.fileFlags)
    let environment = EnvironmentProbe.environment(machine: options.machine)
    if options.dryRun { return Self.show(plan, destination) }
    try options.build.check(command: "run", script: "scripts/bench")
    let histograms = try options.histograms.map { path throws(CommandError) in
      try OutputFolder(path, option: "--histograms")
    }
    await Preamble.announce(plan, destination)
    // Loads whose capacity is not found have no trials, but count in the total.
    let total = plan.trials.count
    try await plan.findCapacities(note: Console.note) { trial throws(TrialFailure) in
      try await trial.run()
    }

    let ending = RunEnding(
      total: total, destination: destination, page: page, isQuick: options.quick,
      details: options.details)
    try await MeasuringRun(
      plan: plan, environment: environment, destination: destination, roles: roles,
      histograms: histograms,
      drawsProgress: Terminal.isFree(of: destination) && !options.progress.noProgress
    ).run(from: start) { ending.exit($0, as: $1) }
  }

  /// Prints the plan, for `--dry-run`.
  private static func show(_ plan: RunPlan, _ destination: OutputDestination) {
    Console.note(Preamble.line(plan, destination))
    Console.print(PlanTable(plan: plan).text)
  }
}
