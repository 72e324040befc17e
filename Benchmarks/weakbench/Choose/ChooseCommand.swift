import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Choosing
import Foundation
import Measurements
import Reporting

/// Answers which backend suits a program, and turns measured rows into the calibration that is compiled in.
struct ChooseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "choose",
    abstract: "Say which backend suits a program, from measured rows.",
    discussion: """
      Answers from the rows of the CSV files given, or from the calibration that is compiled in. Between \
      measured threads and sizes costs are interpolated in logarithms, between measured mixes by shares; a \
      workload that is more than a mix, such as churn, answers to its name alone. Rows of several machines, \
      allocators or compilers, or of builds not fit to measure, are refused unless an option says which count.

      It ends with status 0 if measurements tell which backend is best, with 3 if they leave several, cheapest \
      first, and with 4 if the question lies outside what was measured: the answer is then that of the \
      nearest measured place or, if nothing was measured with this compiler and processor on as many cores, \
      the documented default.

      With --output, alone or with a question, the rows are written as a calibration, which a program reads \
      with Calibration(contentsOf:).

      With --write-calibration it reads the CSV files given, or all in results/ of the checkout this \
      program was built from, and writes Sources/Choosing/Calibration+Compiled.swift there. With \
      --check it writes nothing and ends with status 1 if the file would change.

      --names shows which backend each published name and the leak monitor use in this build, and why. A \
      trait selects the backend of all names, as in swift run --traits MutexBackend weakbench choose --names; \
      the Atomic names never stand for a backend that suspends. Without such a trait the leak monitor uses the \
      chooser's recommendation.

      EXAMPLES:
        weakbench choose --profile profile.json
        weakbench choose rows.csv --collection dictionary --mix read=95,update=5 --threads 8
        weakbench choose rows.csv --collection weak-array --workload churn --objective bytes --explain
        weakbench choose rows.csv --output calibration.json
      """)

  @OptionGroup var choice: ChoiceOptions

  @OptionGroup var selection: RowSelection

  @OptionGroup var noise: NoiseFloorOption

  @Option(help: "What shall be cheap: throughput, p99, bytes. (default: throughput)")
  var objective: String?

  @Flag(help: "Also show every backend's costs, and the rows that the answer rests on.")
  var explain = false

  @Option(help: "What to write: text or json. (default: text)")
  var format: String?

  @Option(
    help:
      "Where the rows go as a calibration in JSON; it is replaced. - is standard output, without a question."
  )
  var output: String?

  @Flag(help: "Write the compiled-in calibration.")
  var writeCalibration = false

  @Flag(help: "Only compare the compiled-in calibration with the rows.")
  var check = false

  @Flag(
    help: "Show instead which backend each published name and the leak monitor use in this build.")
  var names = false

  @Argument(help: "CSV files that `weakbench run` wrote. (default: results/ of the checkout)")
  var files: [String] = []

  enum Format: String, CaseIterable { case text, json }

  func run() throws {
    if names { return try showNames() }
    if !writeCalibration && !check {
      if !choice.isEmpty { return try choose() }
      if output != nil, format == nil, objective == nil, !explain { return try writeOnly() }
    }
    guard writeCalibration != check, asksNothing else {
      throw CommandError.usage(
        "choose does one thing (allowed: one of --write-calibration, --check, --output, and the work "
          + "by --profile, --workload or --mix; --names)")
    }
    try CalibrationRegeneration(files: files).run(writes: writeCalibration)
  }

  private func showNames() throws {
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    guard !writeCalibration, !check, files.isEmpty, choice.isEmpty, selection.isEmpty,
      noise.isEmpty,
      objective == nil, output == nil, !explain
    else {
      throw CommandError.usage("--names is asked alone (allowed: --names, with --format)")
    }
    switch format {
    case .text: Console.print(NameMeaning.text(of: NameMeaning.all))
    case .json: Console.print(NameMeaning.json(of: NameMeaning.all))
    }
  }

  private var asksNothing: Bool {
    choice.isEmpty && selection.isEmpty && noise.isEmpty && objective == nil && format == nil
      && output == nil
      && !explain
  }

  /// Answers, and ends with the status that says on what the answer rests.
  private func choose() throws {
    if output == "-" {
      throw CommandError.usage(
        "standard output is the answer's (allowed: --output PATH, or --output - without a question)"
      )
    }
    try output.map(OutputDestination.init(replacing:))?.check()
    let (report, source) = try answer()
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    try write(source.calibration)
    switch format {
    case .text: Console.print(ChoiceText(report: report, explains: explain).text)
    case .json: Console.print(report.json)
    }
    Foundation.exit(report.status.rawValue)
  }

  /// The answer, and from what.
  func answer() throws -> (ChoiceReport, ChoiceSource) {
    let objective =
      try OptionText.name("objective", objective, as: CostObjective.self) ?? .throughput
    let cores = try choice.givenCores()
    let rows = try rows()
    let source = try ChoiceSource(rows, selection, cores: cores)
    let profile = try choice.workloadProfile(otherwiseCores: source.key.cores)
    let noise = try CostNoise(noise, beside: files, rows ?? [], of: objective)
    let report = ChoiceReport(
      profile, objective, source, noiseFloor: noise.floor(threads: profile.threads))
    return (report, source)
  }

  /// Nil without files.
  private func rows() throws(CommandError) -> [Measurement]? {
    try files.isEmpty ? nil : ResultsFile.rows(inAll: files)
  }

  private func writeOnly() throws {
    let rows = try rows()
    try write(try ChoiceSource(rows, selection, cores: nil).calibration)
  }

  private func write(_ calibration: Calibration) throws(CommandError) {
    guard let output else { return }
    let text = String(decoding: calibration.json, as: UTF8.self) + "\n"
    try OutputFile(opening: OutputDestination(replacing: output)).write(text)
  }
}
