import ArgumentParser
import Choosing
import Foundation

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

      Status 0, whatever it finds; 65 if no point has two backends with two trials each.

      EXAMPLE:
        weakbench regret rows.csv --explain
      """)

  @OptionGroup var selection: RowSelection

  @OptionGroup var noise: NoiseFloorOption

  @Option(help: "A calibration in JSON to answer from, instead of the other points.")
  var calibration: String?

  @Flag(help: "Also show every question.")
  var explain = false

  @Option(help: "What to write: text or json. (default: text)")
  var format: String?

  @Argument(help: "CSV files that `weakbench run` wrote, of at least two trials.")
  var files: [String]

  enum Format: String, CaseIterable { case text, json }

  func run() throws {
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

  private func givenCalibration() throws(CommandError) -> Calibration? {
    guard let calibration else { return nil }
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
