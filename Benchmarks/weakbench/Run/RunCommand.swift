import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Measurements
import Primitives
import TerminalIO
import Workloads

/// Measures: makes the trials, writes a row for each, and shows a table of them.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Measure, write one CSV row for each trial, and show a table.",
    discussion: """
      Lists are separated by commas. Without options the standard matrix is run: every workload, with \
      every backend at 1, n, 2n and 4n threads for n usable cores, and with peers and baselines at 1 and n, \
      three times 0.44 seconds each; on 2 cores it ends within 20 minutes. An option replaces its part of \
      the matrix; with --threads or --backend, peers and baselines are run at every thread count. \
      --quick is three workloads for each collection, at 1 and 4 threads, twice a quarter of a second, \
      without peers.

      Rows go to a new file in the current directory, whose name and the time needed are said first; the \
      table goes to standard output, or to standard error if the rows go to standard output. Ctrl-C keeps \
      the rows of finished trials. A trial whose collection breaks a promise is no row, and the exit \
      status is then 1.

      --forks N spreads the repetitions over N processes, which differ in where their memory lies: with six or \
      more of them compare holds processes against processes.

      --mode open starts operations when they are due, at random times drawn before, and tells how long they \
      took (service) and how long somebody would have waited (intended). --rate is the same for all backends; \
      --load is percent of what each of them can do, which is found first and said. Without --threads it is run at \
      1 and n threads.

      EXAMPLES:
        weakbench run --quick
        weakbench run --collection dictionary --backend mutex,lock-free
        weakbench run --backend mutex,lock-free --forks 10 --csv rows.csv
        weakbench run --mix read=95,insert=3,remove=2 --csv rows.csv --append
        weakbench run --mode open --backend mutex,lock-free --workload mixed --load 50,90
        weakbench run --mode open --rate 100000 --workload mixed --histograms latencies
      """)

  @OptionGroup var options: RunOptions

  func run() async throws {
    let start = UTCTime.now
    var plan = try RunPlan(options, usableCores: Host.usableCores, drawnSeed: .drawn())
    let destination = try OutputDestination(
      options, defaultName: "weakbench-\(start.compact).csv")
    try EnvironmentProbe.check(machine: options.machine)
    let page = try options.report ? destination.page() : nil
    let roles = try options.roles.map { _ throws(CommandError) in try destination.roles() }
    let noise =
      try options.noiseFloor
      ? destination.beside(ending: NoiseFile.ending, option: "--noise-floor") : nil
    try destination.check(columns: MeasurementCSV.columnNames)
    try roles?.check(columns: RoleCSV.columnNames)
    try page?.check()
    try noise?.check()
    let environment = EnvironmentProbe.environment(machine: options.machine)
    if options.dryRun { return Self.show(plan, destination) }
    try BuildFitness.check(allowsUnoptimized: options.allowUnoptimized)
    let histograms = try options.histograms.map { path throws(CommandError) in
      try OutputFolder(path, option: "--histograms")
    }
    await Preamble.announce(plan, destination)
    // Of a load whose capacity is not found no trial is made, but it was asked for.
    let total = plan.trials.count
    try await plan.findCapacities(note: Console.note) { trial throws(TrialFailure) in
      try await trial.run()
    }

    let ending = RunEnding(
      total: total, destination: destination, page: page, isQuick: options.quick,
      details: options.details)
    try await MeasuringRun(
      plan: plan, environment: environment, destination: destination, roles: roles,
      histograms: histograms, noise: noise,
      drawsProgress: Terminal.isFree(of: destination) && !options.noProgress
    ).run(from: start) { ending.exit($0, failures: $1, as: $2) }
  }

  /// For `--dry-run`.
  private static func show(_ plan: RunPlan, _ destination: OutputDestination) {
    Console.note(Preamble.line(plan, destination))
    Console.print(PlanTable(plan: plan).text)
  }
}
