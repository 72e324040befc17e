import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Primitives
import TerminalIO

/// Shows everything that can be named on the command line or, with `--machine`, what measuring costs here.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the backends, peers, baselines and workloads that can be run, or this machine.",
    discussion: """
      --machine shows what measuring costs on this machine, and whether it is fit for it now. It warns on \
      standard error of what makes figures vary: a load of more than \
      \(NumberText.amount(MachineConditions.busyLoadPerCore)) per core, the governor 'powersave', running on \
      battery, a host that gives the cores to other guests. What the system does not report is \
      \(NumberText.missing), or null in JSON. Contention figures that the host does not report are n/a, or \
      false in JSON. The status is 0, whatever it finds.

      EXAMPLES:
        weakbench list
        weakbench list --machine --noise-floor
      """)

  @Option(help: "What to write: text or json.")
  var format = "text"

  @Flag(help: "Show this machine instead.")
  var machine = false

  @Flag(help: "With --machine, also measure the noise floor, by an A/A run of about half a minute.")
  var noiseFloor = false

  @Option(
    help: "Where the A/A run's trials go, ending in .noise.csv; it is replaced. (default: nowhere)")
  var output: String?

  @Flag(help: "With --machine, run although this build is not fit for measuring.")
  var allowUnoptimized = false

  enum Format: String, CaseIterable { case text, json }

  func run() async throws {
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    if machine { return try await showMachine(as: format) }
    if let option = [
      ("--noise-floor", noiseFloor), ("--output", output != nil),
      ("--allow-unoptimized", allowUnoptimized),
    ].first(where: \.1)?.0 {
      throw CommandError.usage("\(option) needs --machine (allowed: --machine \(option))")
    }
    switch format {
    case .text: Console.print(Inventory.complete.text)
    case .json: Console.print(Inventory.complete.json)
    }
  }

  private func showMachine(as format: Format) async throws {
    let rows = try noiseDestination()
    try BuildFitness.check(allowsUnoptimized: allowUnoptimized, command: "list", script: nil)
    let times = MachineConditions.processorTimes
    let costs = await MeasuringCosts.measure()
    let conditions = MachineConditions.current(since: times, cores: Host.usableCores)
    let environment = EnvironmentProbe.environment(machine: nil)
    let noise = noiseFloor ? try NoiseRun.measure(environment, rows: rows) : nil
    let report = MachineReport(environment, conditions, costs, .ofThisHost, noise)
    switch format {
    case .text: Console.print(report.text + (noise.map { "\n\n" + NoiseText($0).text } ?? ""))
    case .json: Console.print(report.json)
    }
    conditions.warnings.forEach(Console.note)
  }

  private func noiseDestination() throws(CommandError) -> OutputDestination? {
    guard let output else { return nil }
    guard noiseFloor else {
      throw .usage("--output needs --noise-floor (allowed: --noise-floor --output PATH)")
    }
    let ending = String(NoiseFile.ending.dropFirst())
    return try OutputDestination(replacing: output, option: "--output", endings: [ending])
  }
}
