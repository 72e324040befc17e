import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Primitives
import TerminalIO

/// The command `list`, which prints the names for the command line or, with `--machine`, the costs
/// of measuring on this machine.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show backends, peers, baselines and workloads, or this machine.",
    usage: "weakbench list [<options>]",
    discussion: """
      --machine shows the costs of measuring on this machine, and warns of present
      conditions that make figures vary. See docs/benchmarking.md.

      EXAMPLES:
        weakbench list
        weakbench list --machine
      """)

  @Option(help: ArgumentHelp("Output format: text or json.", valueName: "name"))
  var format = "text"

  @Flag(help: "Show this machine instead.")
  var machine = false

  @OptionGroup var build: BuildFitness

  enum Format: String, CaseIterable { case text, json }

  func run() async throws {
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    if machine { return try await showMachine(as: format) }
    if build.allowUnoptimized {
      throw CommandError.usage(
        "--allow-unoptimized needs --machine (allowed: --machine --allow-unoptimized)")
    }
    switch format {
    case .text: Console.print(Inventory.complete.text)
    case .json: Console.print(Inventory.complete.json)
    }
  }

  private func showMachine(as format: Format) async throws {
    try build.check(command: "list", script: nil)
    let times = MachineConditions.processorTimes
    let costs = await MeasuringCosts.measure()
    let conditions = MachineConditions.current(since: times, cores: Host.usableCores)
    let environment = EnvironmentProbe.environment(machine: nil)
    let report = MachineReport(environment, conditions, costs, .ofThisHost)
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
    conditions.warnings.forEach(Console.note)
  }
}
