import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Choosing
import Foundation
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// The command `regret`, which compares the costs of the chooser's picks with those of the best
/// backends.
struct RegretCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regret",
    abstract: "Compare the costs of the chooser's picks with the best backends.",
    discussion: """
      Without files, draw and measure random profiles. See docs/benchmarking.md.

      Status 0: any regret; 1: trials failed; 2: no question was asked; 4: nothing was \
      measured on this machine; 65: no point has two backends in two sessions each.

      EXAMPLES:
        benchlab regret --draw 10 --csv drawn.csv --explain
        benchlab regret rows.csv --explain
      """)

  @OptionGroup var selection: RowSelection

  @OptionGroup var drawing: RegretOptions

  @Option(
    help: ArgumentHelp(
      "A calibration, or compiled. (default: from the files)", valueName: "file"))
  var calibration: String?

  @Flag(help: "Also show every question.")
  var explain = false

  @Option(help: ArgumentHelp("text or json. (default: text)", valueName: "name"))
  var format: String?

  @Argument(help: "Files of rows, of two or more sessions.")
  var files: [String] = []

  enum Format: String, CaseIterable { case text, json }

  func run() throws {
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    let calibration = try givenCalibration()
    guard files.isEmpty else {
      guard drawing.isEmpty else {
        throw CommandError.usage(
          "CSV files exclude the options for measuring (allowed: CSV files, or --draw, --trials, "
            + "--seconds, --seed, --csv and the flags of a run)")
      }
      return try show(files, calibration, format).checkQuestions()
    }
    try selection.refuseWithoutRows()
    let destination = try drawing.destination()
    let drawn = try DrawnRun(drawing, calibration ?? .compiled)
    if drawing.dryRun { return Console.print(drawn.text) }
    try drawing.build.check(command: "regret", script: nil)
    let failures = try drawn.measure(
      into: destination,
      drawsProgress: Terminal.isFree(of: destination) && !drawing.progress.noProgress)
    let analysis = try show([destination.name], calibration ?? .compiled, format)
    if failures > 0 {
      throw CommandError(
        status: .found,
        description: "\(failures) runs of weakbench have failed trials; see the messages above")
    }
    try analysis.checkQuestions()
  }

  /// Prints the regret in the rows of files.
  private func show(
    _ files: [String], _ calibration: Calibration?, _ format: Format
  ) throws -> RegretAnalysis {
    let rows = try ResultsFile.rows(inAll: files)
    let source = try ChoiceSource(rows, selection)
    let analysis = try RegretAnalysis(source, calibration: calibration)
    switch format {
    case .text: Console.print(RegretText(analysis: analysis, explains: explain).text)
    case .json: Console.print(analysis.json)
    }
    return analysis
  }

  private func givenCalibration() throws(CommandError) -> Calibration? {
    guard let calibration else { return nil }
    if calibration == "compiled" { return .compiled }
    do {
      return try Calibration(contentsOf: URL(fileURLWithPath: calibration))
    } catch .unreadable {
      throw .usage(
        "cannot read \(calibration.quotedOnOneLine) (allowed: a file of weakbench choose --output)")
    } catch {
      throw CommandError(status: .badData, description: "\(calibration): \(error)")
    }
  }
}

/// The options with which `regret` measures random profiles.
struct RegretOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Number of random profiles. (default: 40)", valueName: "number"))
  var draw: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Trials of each backend. (default: 6)", valueName: "number"))
  var trials: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Timed seconds per trial. (default: 0.2)", valueName: "number"))
  var seconds: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seed of the profiles and the runs. (default: 1)", valueName: "number"))
  var seed: String?

  @Option(help: ArgumentHelp("File of rows. (default: a new file)", valueName: "file"))
  var csv: String?

  @Flag(help: "Replace an existing file.")
  var force = false

  @Flag(help: "Print the plan and its duration; measure nothing.")
  var dryRun = false

  @OptionGroup var progress: ProgressOption

  @OptionGroup var build: BuildFitness

  /// Returns the destination of the rows: a file, because every process of the run appends to it.
  func destination() throws(CommandError) -> OutputDestination {
    if csv == "-" {
      throw .usage("--csv '-' cannot be read again (allowed: --csv PATH, or no --csv)")
    }
    let path = csv ?? "weakbench-regret-\(UTCTime.now.compact).csv"
    return force ? OutputDestination(replacing: path) : OutputDestination(ofNew: path)
  }

  var isEmpty: Bool {
    [draw, trials, seconds, seed, csv].allSatisfy { $0 == nil }
      && ![force, dryRun, progress.noProgress, build.allowUnoptimized].contains(true)
  }
}

/// The regret of the chooser's picks as text.
struct RegretText {
  let analysis: RegretAnalysis
  /// Whether the text includes every question.
  let explains: Bool

  var text: String {
    let outsideRange = "\(analysis.questionsOutsideRange) more are outside the measured range"
    let text = (summary.lines + ["\(analysis.questions.count) questions; \(outsideRange)"])
      .joined(separator: "\n")
    return explains && !analysis.questions.isEmpty
      ? (table.lines + ["", text]).joined(separator: "\n") : text
  }

  /// The quantiles of the regret, of its floor, and of the regret divided by the floor.
  private var summary: TextTable {
    let figures: [(String, (RegretQuestion) -> Double)] = [
      ("regret: cost of the pick ÷ that of the best", \.regret),
      ("floor: the best of the other sessions", \.floor),
      ("regret ÷ floor", \.regretOverFloor),
    ]
    return TextTable(
      columns: [.init()]
        + ["MEDIAN", "95TH PERCENTILE", "WORST"].map { .init(title: $0, alignment: .right) },
      rows: figures.map { name, figure in
        [name] + [0.5, 0.95, 1].map { NumberText.amount(analysis.quantile($0, of: figure)) }
      })
  }

  private var table: TextTable {
    TextTable(
      columns: ["REGRET", "FLOOR", "PICKED", "BEST", "POINT", "ASKED BY"].map { .init(title: $0) },
      rows: analysis.questions.sorted { $0.regret > $1.regret }.map { question in
        [
          NumberText.amount(question.regret), NumberText.amount(question.floor),
          question.picked.rawValue, question.best.rawValue,
          "\(question.point.collection.rawValue), \(question.point)",
          question.asMix ? "mix" : "name",
        ]
      })
  }
}
