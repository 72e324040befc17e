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

/// Shows what the chooser's picks cost, held against the best.
struct RegretCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regret",
    abstract:
      "Show how much more the chooser's picks cost than the best backend, from measured rows.",
    discussion: """
      Asks the chooser about each measured point from all other points, and about each workload that is \
      nothing but a mix from all other workloads. What is then outside what was measured is not counted. With \
      --calibration a file of weakbench choose --output answers, about every point.

      The best backend is picked from one half of a point's trials, and the regret is the ratio of medians in \
      the other half, so that luck picks nobody. A regret below the noise floor counts as 1. Where the chooser is \
      undecided its first name counts.

      Without files it draws profiles within what the calibration has measured on this machine and off its \
      points: mixes between the measured ones, and threads and sizes between. It measures the noise floor and then \
      every backend on each profile, in 13 minutes on 2 cores, writes the rows, and says what they show.

      Status 0, whatever it finds, and 1 if trials failed; 4 if nothing was measured on this machine to draw \
      within, 65 if no point has two backends with two trials each.

      EXAMPLES:
        benchlab regret
        benchlab regret --draw 10 --csv drawn.csv --explain
        benchlab regret drawn.csv --calibration compiled
        benchlab regret rows.csv --explain
      """)

  @OptionGroup var selection: RowSelection

  @OptionGroup var noise: NoiseFloorOption

  @OptionGroup var drawing: RegretOptions

  @Option(
    help: "A calibration in JSON to answer from, or compiled. (default: the files' other points)")
  var calibration: String?

  @Flag(help: "Also show every question.")
  var explain = false

  @Option(help: "What to write: text or json. (default: text)")
  var format: String?

  @Argument(help: "CSV files that `weakbench run` wrote, of at least two trials.")
  var files: [String] = []

  enum Format: String, CaseIterable { case text, json }

  func run() throws {
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    let calibration = try givenCalibration()
    guard files.isEmpty else {
      guard drawing.isEmpty else {
        throw CommandError.usage(
          "rows are there already (allowed: CSV files, or --draw and what says how to measure)")
      }
      return try show(files, calibration, format)
    }
    let drawn = try DrawnRun(drawing, calibration ?? .compiled)
    if drawing.dryRun { return Console.print(drawn.text) }
    try BuildFitness.check(
      allowsUnoptimized: drawing.allowUnoptimized, command: "regret", script: nil)
    let destination = try drawing.destination()
    let failures = try drawn.measure(
      into: destination, drawsProgress: Terminal.isFree(of: destination) && !drawing.noProgress)
    try show([destination.name], calibration ?? .compiled, format)
    if failures > 0 {
      throw CommandError(
        status: .found, description: "\(failures) runs of weakbench have failed trials")
    }
  }

  /// What the rows of files say.
  private func show(_ files: [String], _ calibration: Calibration?, _ format: Format) throws {
    let rows = try ResultsFile.rows(inAll: files)
    // The best is picked in one half of the trials, and costs are of the other.
    let noise = try CostNoise(noise, beside: files, rows, share: 0.5)
    let source = try ChoiceSource(rows, selection, cores: nil)
    let trial = try RegretTrial(source, calibration: calibration, noise: noise)
    switch format {
    case .text: Console.print(RegretText(trial: trial, explains: explain).text)
    case .json: Console.print(trial.json)
    }
  }

  private func givenCalibration() throws(CommandError) -> Calibration? {
    guard let calibration else { return nil }
    if calibration == "compiled" { return .compiled }
    do {
      return try Calibration(contentsOf: URL(fileURLWithPath: calibration))
    } catch .unreadable {
      throw .usage(
        "cannot read \(calibration.quotedOnOneLine) (allowed: a calibration of choose --output)")
    } catch {
      throw CommandError(status: .badData, description: "\(calibration): \(error)")
    }
  }
}

/// How `regret` measures what it draws.
struct RegretOptions: ParsableArguments {
  @Option(
    parsing: .unconditional, help: "Without files: how many profiles are drawn. (default: 40)")
  var draw: String?

  @Option(
    parsing: .unconditional,
    help: "Trials of each backend, each in a process of its own. (default: 6)")
  var trials: String?

  @Option(parsing: .unconditional, help: "Timed seconds of a trial. (default: 0.2)")
  var seconds: String?

  @Option(parsing: .unconditional, help: "What profiles and runs are drawn by. (default: 1)")
  var seed: String?

  @Option(help: "Where the rows go. (default: a new file here)")
  var csv: String?

  @Flag(help: "Replace the file that is there.")
  var force = false

  @Flag(help: "Only show what would be run, and how long it would take.")
  var dryRun = false

  @Flag(help: "Draw no progress bar.")
  var noProgress = false

  @Flag(help: "Run although this build is not fit for measuring.")
  var allowUnoptimized = false

  /// Where the rows go: a file, since every process of the run appends to it.
  func destination() throws(CommandError) -> OutputDestination {
    if csv == "-" { throw .usage("regret reads its rows again (allowed: --csv PATH, or none)") }
    let path = csv ?? "weakbench-regret-\(UTCTime.now.compact).csv"
    return force ? OutputDestination(replacing: path) : OutputDestination(ofNew: path)
  }

  var isEmpty: Bool {
    [draw, trials, seconds, seed, csv].allSatisfy { $0 == nil }
      && ![force, dryRun, noProgress, allowUnoptimized].contains(true)
  }
}

/// What the chooser's picks cost, for people.
struct RegretText {
  let trial: RegretTrial
  /// Whether every question is shown.
  let explains: Bool

  var text: String {
    let names = [("median", 0.5), ("95th percentile", 0.95), ("worst", 1)]
    let figures = names.map { name, part in
      "\(name) \(NumberText.amount(trial.regret(atQuantile: part)))"
    }
    let undecided = trial.questions.count { $0.isUndecided }
    let summary =
      "regret \(figures.joined(separator: ", ")) of \(trial.questions.count) questions, "
      + "\(undecided) of them undecided; \(trial.outside) more lay outside what was measured\n"
      + "noise floor \(noiseFloors), \(trial.noiseOrigin); what is below counts as 1.00"
    return explains && !trial.questions.isEmpty
      ? (table.lines + ["", summary]).joined(separator: "\n") : summary
  }

  private var noiseFloors: String {
    trial.noiseFloors.map { NumberText.amount(100 * $0) + " %" }.withoutRepetitions
      .joined(separator: " to ")
  }

  private var table: TextTable {
    TextTable(
      columns: ["REGRET", "PICKED", "BEST", "POINT", "ASKED BY"].map { .init(title: $0) },
      rows: trial.questions.sorted { $0.regret > $1.regret }.map { question in
        [
          NumberText.amount(question.regret),
          question.picked.rawValue + (question.isUndecided ? " ≈" : ""), question.best.rawValue,
          "\(question.point.collection.rawValue), \(question.point)",
          question.asMix ? "mix" : "name",
        ]
      })
  }
}
