import ArgumentParser
import BenchmarkCommands
import Choosing
import Foundation
import Measurements
import TerminalIO

/// The command `calibration`, which compiles measured rows into the chooser.
struct CalibrationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibration",
    abstract: "Write the compiled-in calibration of the chooser from rows.",
    usage: "benchlab calibration [--check] [<files> ...]",
    discussion: """
      The file is Calibration+Compiled.swift in the checkout; the next build uses it.
      Status 0: it was written, or is equal; 1: --check finds a difference.

      EXAMPLES:
        benchlab calibration
        benchlab calibration --check
      """)

  @Flag(help: "Only compare the file with the rows.")
  var check = false

  @Argument(help: "Files of rows; - is standard input. (default: all in results/)")
  var files: [String] = []

  func run() throws {
    let checkout = Checkout()
    let paths = ResultsFile.withoutSidecars(files.isEmpty ? try checkout.results() : files)
    var rows: [Measurement] = []
    for path in paths { rows += try ResultsFile.rows(in: path).filter { CostSample($0) != nil } }
    guard !rows.isEmpty else { throw ChoiceSource.noRows }
    // All rows with the same key must come from one machine and one allocator.
    for own in Dictionary(grouping: rows, by: { CostSample($0)?.key }).values {
      try RowSelection.refuseDifferent(own)
    }
    let samples = rows.compactMap { CostSample($0) }
    let text = CalibrationSource.text(for: Calibration(samples))
    let target = checkout.calibration
    if !check {
      try Self.write(text, to: target)
      Console.note("\(samples.count) rows of \(paths.count) files are in \(target.path)")
    } else if (try? String(contentsOf: target, encoding: .utf8)) != text {
      throw CommandError(
        status: .found,
        description: "\(target.path) differs from the calibration of the rows; "
          + "run `benchlab calibration`")
    }
  }

  /// Writes a temporary file and renames it, so that the file is never half written.
  private static func write(_ text: String, to target: URL) throws {
    do {
      try Data(text.utf8).write(to: target, options: .atomic)
    } catch {
      throw CommandError.failed("cannot write \(target.path): \(error.localizedDescription)")
    }
  }
}

/// The checkout from which this program was built.
private struct Checkout {
  private let root: URL

  init(sourceFile: String = #filePath) {
    root = (0..<4).reduce(URL(fileURLWithPath: sourceFile)) { url, _ in
      url.deletingLastPathComponent()
    }
  }

  var calibration: URL {
    root.appendingPathComponent("Sources/Choosing/Calibration+Compiled.swift")
  }

  /// Returns the CSV files below results/, in order, without those of `benchlab loop`, whose rows
  /// are not trials of workloads.
  func results() throws -> [String] {
    let folder = root.appendingPathComponent("results").path
    guard let names = FileManager.default.subpaths(atPath: folder) else {
      throw CommandError.failed(
        "the folder \(folder) does not exist; run in the checkout of the build, or pass CSV files")
    }
    let trials = names.filter { $0.hasSuffix(".csv") && !$0.hasSuffix("-loop.csv") }
    return trials.sorted().map { "\(folder)/\($0)" }
  }
}
