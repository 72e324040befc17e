import BenchmarkCommands
import TerminalIO
import Choosing
import Foundation

/// The generation of the compiled-in calibration from measured rows.
struct CalibrationRegeneration {
  /// The CSV files; if empty, all files in results/ of the checkout.
  let files: [String]

  /// Writes the calibration, or only compares it with the source file.
  ///
  /// - Parameter writes: Whether to write the file.
  /// - Throws: An error with status 1 if the file is only compared and would change.
  func run(writes: Bool) throws {
    let checkout = Checkout()
    let paths = ResultsFile.withoutSidecars(files.isEmpty ? try checkout.results() : files)
    var samples: [CostSample] = []
    for path in paths { samples += try ResultsFile.rows(in: path).compactMap { CostSample($0) } }
    guard !samples.isEmpty else { throw ChoiceSource.noRows }
    let text = CalibrationSource.text(for: Calibration(samples))
    let target = checkout.calibration
    if writes {
      try Self.write(text, to: target)
      Console.note("\(samples.count) rows of \(paths.count) files are in \(target.path)")
    } else if (try? String(contentsOf: target, encoding: .utf8)) != text {
      throw CommandError(
        status: .found,
        description: "\(target.path) differs from the calibration of the rows; "
          + "run `weakbench choose --write-calibration`")
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

  /// Returns the CSV files below results/, in order, without those of `benchlab loop`, which are no
  /// trials of workloads.
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
