import BenchmarkCommands
import TerminalIO
import Choosing
import Foundation

/// Makes the calibration that is compiled in from measured rows.
struct CalibrationRegeneration {
  /// CSV files; all in results/ of the checkout if there are none.
  let files: [String]

  /// Writes it or, if it does not, throws with status 1 if it would change.
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
    root = (0..<4).reduce(URL(fileURLWithPath: sourceFile)) { url, _ in
      url.deletingLastPathComponent()
    }
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
