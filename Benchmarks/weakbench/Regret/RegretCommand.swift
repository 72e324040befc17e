import ArgumentParser
import Choosing
import Foundation
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

      --draw prints the runs that measure so many profiles, drawn within what --calibration has measured and off \
      its points, a line each; the rows are then asked about with the same calibration.

      Status 0, whatever it finds; 65 if no point has two backends with two trials each.

      EXAMPLES:
        weakbench regret rows.csv --explain
        weakbench regret --draw 40 --calibration compiled --csv drawn.csv | sh
        weakbench regret drawn.csv --calibration compiled
      """)

  @OptionGroup var selection: RowSelection

  @OptionGroup var noise: NoiseFloorOption

  @Option(
    help: "A calibration in JSON to answer from, or compiled, instead of the other points.")
  var calibration: String?

  @Option(parsing: .unconditional, help: "Print the runs of so many profiles; needs --calibration.")
  var draw: String?

  @Option(help: "Where the drawn profiles' rows go. (default: drawn.csv)")
  var csv: String?

  @Option(parsing: .unconditional, help: "What the profiles are drawn by. (default: 1)")
  var seed: String?

  @Flag(help: "Also show every question.")
  var explain = false

  @Option(help: "What to write: text or json. (default: text)")
  var format: String?

  @Argument(help: "CSV files that `weakbench run` wrote, of at least two trials.")
  var files: [String] = []

  enum Format: String, CaseIterable { case text, json }

  func run() throws {
    if draw != nil { return try printRuns() }
    guard csv == nil, seed == nil, !files.isEmpty else {
      throw CommandError.usage(
        "regret needs rows (allowed: CSV files, or --draw with --calibration, --csv and --seed)")
    }
    let format = try OptionText.name("format", format, as: Format.self) ?? .text
    let rows = try ResultsFile.rows(inAll: files)
    let source = try ChoiceSource(rows, selection, cores: nil)
    let trial = try RegretTrial(
      source, calibration: try givenCalibration(), noiseFloor: try noise.part())
    switch format {
    case .text: Console.print(RegretText(trial: trial, explains: explain).text)
    case .json: Console.print(trial.json)
    }
  }

  private func printRuns() throws {
    let count = try OptionText("--draw", draw, allowed: 1...1000).number(otherwise: 1)
    guard files.isEmpty, let calibration = try givenCalibration() else {
      throw CommandError.usage(
        "--draw draws within a calibration (allowed: --draw with --calibration, and without files)")
    }
    let key = calibration.keys.contains(.current) ? .current : calibration.keys.first ?? .current
    if key != .current {
      Console.note("nothing was measured on \(CalibrationKey.current): these are drawn for \(key)")
    }
    var draw = try ProfileDraw(
      calibration, key: key, seed: try Seed(option: seed, otherwise: .fixed))
    for profile in try draw.profiles(count) {
      Console.print(try Self.run(of: profile, csv: csv ?? "drawn.csv"))
    }
  }

  /// A line for a shell.
  private static func run(
    of profile: WorkloadProfile, csv: String
  ) throws(CommandError) -> String {
    let mix = try ProfileFile(profile.json, path: "a drawn profile").shares
    return "weakbench run --collection \(profile.collection.rawValue) --mix \(mix!) "
      + "--threads \(profile.threads) --size \(profile.size) --trials 4 --append --csv "
      + "'\(csv.replacing("'", with: "'\\''"))'"
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
