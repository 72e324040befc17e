import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Choosing
import Foundation
import Measurements
import Reporting

/// The command `choose`, which recommends a backend for a program, and writes the calibration from
/// which a program's chooser answers.
struct ChooseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "choose",
    abstract: "Recommend a backend for a program, from measured rows.",
    discussion: """
      Status 0: one backend is best, or several are equivalent; 3: undecided; 4: not measured;
      the command that measures the question is then printed.
      See docs/benchmarking.md.

      EXAMPLES:
        weakbench choose --reads 95 --threads 8 --keys int --entries 1024
        weakbench choose rows.csv --profile profile.json
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

  @Flag(help: "Show the backend of each published name instead.")
  var names = false

  @Argument(help: "Files of rows; - is standard input. (default: compiled-in)")
  var files: [String] = []

  enum Format: String, CaseIterable { case text, json }

  func run() throws {
    if names { return try showNames() }
    if !choice.isEmpty { return try choose() }
    guard output != nil, noise.isEmpty, format == nil, objective == nil, !explain else {
      throw CommandError.usage(
        "the question is missing (allowed: --reads, --mix, --workload or --profile; without a "
          + "question, --output PATH or --names)")
    }
    try writeOnly()
  }

  private func showNames() throws {
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    guard files.isEmpty, choice.isEmpty, selection.isEmpty, noise.isEmpty, objective == nil,
      output == nil, !explain
    else {
      throw CommandError.usage(
        "--names excludes other options (allowed: --names, with or without --format)")
    }
    switch format {
    case .text: Console.print(NameMeaning.text(of: NameMeaning.all))
    case .json: Console.print(NameMeaning.json(of: NameMeaning.all))
    }
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
    let file = try choice.operations.profileFile()
    let types = try choice.operations.entryTypes()
    let source = try ChoiceSource(
      try rows(), selection, cores: .value(try choice.givenCores(file)), types: types)
    let profile = try choice.workloadProfile(file, otherwiseCores: source.key.cores)
    let report = ChoiceReport(
      profile, objective, source, types: types, noiseFloor: try noise.fraction(),
      assumptions: choice.assumptions(file))
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
    try write(try ChoiceSource(rows, selection).calibration)
  }

  private func write(_ calibration: Calibration) throws(CommandError) {
    guard let output else { return }
    let text = String(decoding: calibration.json, as: UTF8.self) + "\n"
    try OutputFile(opening: OutputDestination(replacing: output)).write(text)
  }
}

/// The option for the noise floor, below which a difference of costs does not count.
struct NoiseFloorOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Difference to ignore, assumed to be noise.", valueName: "percent"))
  var noiseFloor: String?

  init() {}

  var isEmpty: Bool { noiseFloor == nil }

  /// Returns the assumed fraction; `nil` without the option.
  func fraction() throws(CommandError) -> Double? {
    try noiseFloor.map { text throws(CommandError) in
      try OptionText.fraction(text, option: "--noise-floor")
    }
  }
}
