import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Choosing
import Foundation
import Measurements
import Reporting

/// The command `choose`, which recommends a backend for a program, and generates the compiled-in
/// calibration from measured rows.
struct ChooseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "choose",
    abstract: "Recommend a backend for a program, from measured rows.",
    discussion: """
      Status 0: one backend is best; 3: several may be; 4: outside the measured range.
      See docs/benchmarking.md.

      EXAMPLES:
        weakbench choose --profile profile.json
        weakbench choose rows.csv --collection dictionary --mix read=95,update=5
      """)

  @OptionGroup var choice: ChoiceOptions

  @OptionGroup var selection: RowSelection

  @OptionGroup var noise: NoiseFloorOption

  @Option(
    help: ArgumentHelp(
      "throughput, p99 or bytes. (default: throughput)", valueName: "name"))
  var objective: String?

  @Flag(help: "Also show every backend's costs, and the rows.")
  var explain = false

  @Option(help: ArgumentHelp("Output: text or json. (default: text)", valueName: "name"))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "Write the rows as a calibration. (default: none)", valueName: "file"))
  var output: String?

  @Flag(help: "Write the compiled-in calibration.")
  var writeCalibration = false

  @Flag(help: "Compare the compiled-in calibration with the rows.")
  var check = false

  @Flag(help: "Show the backend of each published name instead.")
  var names = false

  @Argument(help: "Files of rows; - is standard input. (default: compiled-in)")
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
        "choose needs exactly one task (allowed: one of --write-calibration, --check, --output, "
          + "--names, and a question by --profile, --workload or --mix)")
    }
    try CalibrationRegeneration(files: files).run(writes: writeCalibration)
  }

  private func showNames() throws {
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    guard !writeCalibration, !check, files.isEmpty, choice.isEmpty, selection.isEmpty,
      noise.isEmpty,
      objective == nil, output == nil, !explain
    else {
      throw CommandError.usage(
        "--names excludes other options (allowed: --names, with or without --format)")
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

  /// Prints the answer, and exits with the status that describes its basis.
  private func choose() throws {
    if output == "-" {
      throw CommandError.usage(
        "standard output has the answer already "
          + "(allowed: --output PATH, or --output - without a question)")
    }
    try checkOutput()
    let (report, source) = try answer()
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    try write(source.calibration)
    switch format {
    case .text: Console.print(ChoiceText(report: report, explains: explain).text)
    case .json: Console.print(report.json)
    }
    Foundation.exit(report.status.rawValue)
  }

  /// Returns the answer and the measurements on which it is based.
  func answer() throws -> (ChoiceReport, ChoiceSource) {
    let objective =
      try OptionText.name("objective", objective, as: CostObjective.self) ?? .throughput
    let cores = try choice.givenCores()
    let rows = try rows()
    let source = try ChoiceSource(rows, selection, cores: cores)
    let profile = try choice.workloadProfile(otherwiseCores: source.key.cores)
    let report = ChoiceReport(
      profile, objective, source, noiseFloor: try noise.part(),
      assumptions: try choice.assumptions())
    return (report, source)
  }

  /// Returns the rows of the files, or `nil` without files.
  private func rows() throws(CommandError) -> [Measurement]? {
    try files.isEmpty ? nil : ResultsFile.rows(inAll: files)
  }

  private func checkOutput() throws(CommandError) {
    guard let destination = output.map(OutputDestination.init(replacing:)) else { return }
    try destination.check()
    try destination.check(isNoneOf: ResultsFile.withSidecars(files))
  }

  private func writeOnly() throws {
    try checkOutput()
    let rows = try rows()
    try write(try ChoiceSource(rows, selection, cores: nil).calibration)
  }

  private func write(_ calibration: Calibration) throws(CommandError) {
    guard let output else { return }
    let text = String(decoding: calibration.json, as: UTF8.self) + "\n"
    try OutputFile(opening: OutputDestination(replacing: output)).write(text)
  }
}
