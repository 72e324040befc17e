import BenchmarkCommands
import TerminalIO
import Benchmarking
import Foundation

/// The name of a saved baseline: a file of rows in `.weakbench/` of the current directory.
struct BaselineName: Equatable {
  let name: String

  static let folder = ".weakbench"

  /// Checks a name: it must not lead out of the folder, or be hidden in it.
  init(_ text: String, option: String) throws(CommandError) {
    let isPlain = text.allSatisfy { $0.isASCIIAlphanumeric || "-_.".contains($0) }
    guard isPlain, let first = text.first, first.isASCIIAlphanumeric, text.count <= 100
    else {
      throw .usage(
        "\(option) \(text.quotedOnOneLine) (allowed: letters, digits, and after the first one "
          + "- _ and .)")
    }
    name = text
  }

  var path: String { "\(Self.folder)/\(name).csv" }

  /// The names of the saved baselines, in order.
  static var saved: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".csv") }.map { String($0.dropLast(4)) }.sorted()
  }

  /// Throws if no baseline of this name was saved.
  func check() throws(CommandError) {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let saved = Self.saved
    guard !saved.isEmpty else {
      throw .usage(
        "\(Self.folder)/ in the current directory has no baseline "
          + "(allowed: one that --save-baseline saved)")
    }
    throw .unknown("baseline", name, allowed: saved)
  }

  /// Copies the file, including columns unknown to this version; replaces an older baseline of this
  /// name atomically.
  func save(fileAt path: String) throws(CommandError) {
    let data = try ResultsFile.contents(of: path)
    do {
      try FileManager.default.createDirectory(
        atPath: Self.folder, withIntermediateDirectories: true)
      try data.write(to: URL(fileURLWithPath: self.path), options: .atomic)
    } catch {
      throw .failed("the baseline \(self.path) cannot be saved: \(error.localizedDescription)")
    }
  }
}
