import ArgumentParser
import Choosing
import Foundation

/// Turns measured rows into the calibration that is compiled in.
struct ChooseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "choose",
    abstract: "Say which backend suits a program, from measured rows.",
    discussion: """
      Answers from the rows of the CSV files given, or from the calibration that is compiled in. It ends \
      with status 4 if nothing was measured with this compiler and processor on as many cores: the \
      answer is then the documented default.

      With --write-calibration it reads the CSV files given, or all in results/ of the checkout this \
      program was built from, and writes Sources/Choosing/Calibration+Compiled.swift there. With \
      --check it writes nothing and ends with status 1 if the file would change.

      EXAMPLES:
        weakbench choose --profile profile.json
        weakbench choose rows.csv --collection dictionary --mix read=95,update=5 --threads 8
      """)

  @OptionGroup var choice: ChoiceOptions

  @Flag(help: "Write the compiled-in calibration.")
  var writeCalibration = false

  @Flag(help: "Only compare the compiled-in calibration with the rows.")
  var check = false

  @Argument(help: "CSV files that `weakbench run` wrote. (default: results/ of the checkout)")
  var files: [String] = []

  func run() throws {
    if !writeCalibration && !check && !choice.isEmpty { return try choose() }
    guard writeCalibration != check, choice.isEmpty else {
      throw CommandError.usage(
        "choose does one thing (allowed: one of --write-calibration, --check, and the work by "
          + "--profile, --workload or --mix)")
    }
    let checkout = Checkout()
    let paths = ResultsFile.withoutSidecars(files.isEmpty ? try checkout.results() : files)
    let samples = try Self.samples(in: paths)
    let text = CalibrationSource.text(for: Calibration(samples))
    let target = checkout.calibration
    if writeCalibration {
      try Self.write(text, to: target)
      Console.note("\(samples.count) rows of \(paths.count) files are in \(target.path)")
    } else if (try? String(contentsOf: target, encoding: .utf8)) != text {
      throw CommandError(
        status: .found, description: "\(target.path) is not what --write-calibration would write")
    }
  }

  /// Answers, and ends with the status that says on what the answer rests.
  private func choose() throws {
    let profile = try choice.workloadProfile()
    let rows = ResultsFile.withoutSidecars(files)
    let chooser =
      rows.isEmpty ? Chooser() : Chooser(calibration: Calibration(try Self.samples(in: rows)))
    let recommendation = chooser.recommendation(for: profile)
    Console.print(ChoiceText(profile: profile, recommendation: recommendation).text)
    let status = recommendation.isCalibrated ? ExitStatus.fine : .outsideMeasured
    Foundation.exit(status.rawValue)
  }

  private static func samples(in paths: [String]) throws(CommandError) -> [CostSample] {
    var samples: [CostSample] = []
    for path in paths { samples += try ResultsFile.rows(in: path).compactMap(CostSample.init) }
    guard !samples.isEmpty else {
      throw CommandError(status: .badData, description: "no row of a release build of a backend")
    }
    return samples
  }

  /// Beside it first, then renamed: the file is never half written.
  private static func write(_ text: String, to target: URL) throws {
    do {
      try Data(text.utf8).write(to: target, options: .atomic)
    } catch {
      throw CommandError.failed("cannot write \(target.path): \(error.localizedDescription)")
    }
  }
}

/// The checkout that this program was built from.
private struct Checkout {
  private let root: URL

  init(sourceFile: String = #filePath) {
    root = URL(fileURLWithPath: sourceFile).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
  }

  var calibration: URL {
    root.appendingPathComponent("Sources/Choosing/Calibration+Compiled.swift")
  }

  /// All CSV files below results/, in order.
  func results() throws -> [String] {
    let folder = root.appendingPathComponent("results").path
    guard let names = FileManager.default.subpaths(atPath: folder) else {
      throw CommandError.failed("there is no folder \(folder)")
    }
    return names.filter { $0.hasSuffix(".csv") }.sorted().map { "\(folder)/\($0)" }
  }
}
