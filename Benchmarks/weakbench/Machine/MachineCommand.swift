import ArgumentParser
import Benchmarking
import Charts
import Primitives
import Reporting

/// Shows what measures here, and how well it can.
struct MachineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machine",
    abstract: "Show what measuring costs on this machine, and whether it is fit for it now.",
    discussion: """
      Warns on standard error of what makes figures vary: a load of more than \
      \(NumberText.amount(MachineConditions.busyLoadPerCore)) a core, the governor 'powersave', \
      running on battery, a host that gives the cores to others. What the system does not say is \
      \(NumberText.missing), or null in JSON. Figures of contention that the host does not let a row have \
      are n/a, or false in JSON.

      Status 0, whatever it finds.
      """)

  @Option(help: "What to write: text or json.")
  var format = "text"

  @Flag(help: "Also measure the noise floor, by an A/A run that takes about half a minute.")
  var noiseFloor = false

  @Option(
    help: "Where the A/A run's trials go, ending in .noise.csv; it is replaced. (default: nowhere)")
  var output: String?

  enum Format: String, CaseIterable { case text, json }

  @Flag(help: "Run although this build is not fit for measuring.")
  var allowUnoptimized = false

  func run() async throws {
    guard let format = Format(rawValue: format) else {
      throw CommandError.unknown(
        "format", self.format, allowed: Format.allCases.map(\.rawValue))
    }
    let rows = try noiseDestination()
    try BuildFitness.check(allowsUnoptimized: allowUnoptimized, command: "machine", script: nil)
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
