import ArgumentParser
import Choosing
import Foundation

/// Turns measured rows into the calibration that is compiled in.
struct ChooseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "choose",
    abstract: "Write the calibration that is compiled in, from measured rows.",
    discussion: """
      Reads the CSV files given, or all in results/ of the checkout this program was built from, and
      writes Sources/Choosing/Calibration+Compiled.swift there. With --check it writes nothing and
      ends with status 1 if the file would change.
      """)

  @Flag(help: "Write the compiled-in calibration.")
  var writeCalibration = false

  @Flag(help: "Only compare the compiled-in calibration with the rows.")
  var check = false

  @Argument(help: "CSV files that `weakbench run` wrote. (default: results/ of the checkout)")
  var files: [String] = []

  func run() throws {
    guard writeCalibration != check else {
      throw CommandError.usage("choose needs one of --write-calibration and --check")
    }
    let checkout = Checkout()
    let paths = files.isEmpty ? try checkout.results() : files
    let measurements = try paths.flatMap { path throws(CommandError) in
      try ResultsFile.rows(in: path)
    }
    let samples = measurements.compactMap(CostSample.init)
    guard !samples.isEmpty else {
      throw CommandError(status: .badData, description: "no row of a release build of a backend")
    }
    let text = CalibrationSource.text(for: samples)
    let target = checkout.calibration
    if writeCalibration {
      try Self.write(text, to: target)
      Console.note("\(samples.count) rows of \(paths.count) files are in \(target.path)")
    } else if (try? String(contentsOf: target, encoding: .utf8)) != text {
      throw CommandError(
        status: .found, description: "\(target.path) is not what --write-calibration would write")
    }
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
