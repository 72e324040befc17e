import ArgumentParser
import BenchmarkCommands
import Interleaving
import StressTesting
import TerminalIO
import WeakCollections
import Workloads

/// The command `scaling`, which counts the cache lines that move between virtual cores.
struct ScalingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scaling",
    abstract: "Count cache lines that move between up to 128 virtual cores.",
    usage: "benchlab scaling [<options>]",
    discussion: """
      The collections run under the managed scheduler, on simulated caches. Time is not \
      simulated. See docs/benchmarking.md.

      EXAMPLES:
        swift run -c release --traits Interleaving benchlab scaling
        benchlab scaling --cores 2,64 --csv scaling.csv --chart scaling.svg
      """)

  @OptionGroup var options: ScalingOptions

  func run() throws {
    let plan = try ScalingPlan(options)
    guard Exploration.isAvailable else {
      throw CommandError.usage(
        "virtual cores need a build with the trait Interleaving "
          + "(allowed: swift run -c release --traits Interleaving benchlab scaling)")
    }
    #if Interleaving
      let rows = try Self.measure(plan)
      Console.print(ScalingTable(rows: rows).text)
      try plan.csv.map { try Self.write(ScalingRow.csv(rows), to: $0) }
      try plan.chart.map { try Self.write(ScalingChart(rows: rows).svg, to: $0) }
    #endif
  }

  #if Interleaving
    private static func measure(_ plan: ScalingPlan) throws(CommandError) -> [ScalingRow] {
      var progress = RunProgress(
        total: plan.trials.count,
        estimatedSeconds: plan.trials.reduce(0) { $0 + $1.estimatedSeconds },
        isDrawn: Terminal.isFree(of: .replacing(path: "")))
      var rows: [ScalingRow] = []
      for trial in plan.trials {
        progress.draw(
          "\(trial.collection.rawValue) \(trial.workload.rawValue) \(trial.cores) cores")
        do {
          rows.append(try trial.run())
        } catch {
          throw CommandError(
            status: .found, description: "a trial of \(trial.collection.rawValue) \(error.failure)")
        }
        progress.finish(estimatedSeconds: trial.estimatedSeconds)
      }
      progress.clear()
      return rows
    }

    private static func write(_ text: String, to destination: OutputDestination)
      throws(CommandError)
    {
      try OutputFile(opening: destination).write(text)
      Console.note("\(destination.name) is written")
    }
  #endif
}

extension ScalingTrial {
  /// The estimated duration. Contending writes take more steps on more cores.
  fileprivate var estimatedSeconds: Double { workload == .writes ? Double(cores) / 10 : 1 }
}

/// The options of `scaling`, as typed; `ScalingPlan` validates them.
struct ScalingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("weak-array, dictionary or both. (default: both)", valueName: "names"))
  var collection: String?

  @Option(
    help: ArgumentHelp("Backends with atomics of this package. (default: all)", valueName: "names"))
  var backend: String?

  @Option(help: ArgumentHelp("reads, mixed or writes. (default: all)", valueName: "names"))
  var workload: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Virtual cores. (default: 2,4,8,16,32,64,128)", valueName: "numbers"))
  var cores: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seed of the schedules. (default: 1)", valueName: "number"))
  var seed: String?

  @Option(
    help: ArgumentHelp("Write or replace a CSV file. (default: none)", valueName: "file"))
  var csv: String?

  @Option(
    help: ArgumentHelp("Write or replace an SVG file. (default: none)", valueName: "file"))
  var chart: String?
}

/// The trials of `scaling`. Its initializer validates all options and opens no file.
struct ScalingPlan {
  let trials: [ScalingTrial]
  let csv: OutputDestination?
  let chart: OutputDestination?

  init(_ options: ScalingOptions) throws(CommandError) {
    let collections = try Selection.collections(options.collection)
    let backends = try OptionText.choices(
      "backend", options.backend, among: ScalingTrial.backends, named: \.rawValue)
    let workloads = try OptionText.choices(
      "workload", options.workload, among: ScalingWorkload.allCases, named: \.rawValue)
    let cores = try OptionText("--cores", options.cores, allowed: ScalingTrial.allowedCores)
      .numbers(otherwise: [2, 4, 8, 16, 32, 64, 128])
    let seed = try Seed(option: options.seed, otherwise: .fixed).value
    csv = try options.csv.map { path throws(CommandError) in
      try OutputDestination(replacing: path, option: "--csv", endings: ["csv"])
    }
    chart = try options.chart.map { path throws(CommandError) in
      try OutputDestination(replacing: path, option: "--chart", endings: ["svg"])
    }
    trials = collections.flatMap { collection in
      backends.flatMap { backend in
        workloads.flatMap { workload in
          cores.map { count in
            ScalingTrial(
              collection: collection, backend: backend, workload: workload, cores: count,
              seed: seed)
          }
        }
      }
    }
  }
}
