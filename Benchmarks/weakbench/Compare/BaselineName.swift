import BenchmarkCommands
import TerminalIO
import Benchmarking
import Foundation

/// A file of rows that later ones are held against, kept in `.weakbench/` of the current directory.
struct BaselineName: Equatable {
  let name: String

  static let folder = ".weakbench"

  /// Refuses what would lead out of the folder, be hidden in it or be another one's A/A run.
  init(_ text: String, option: String) throws(CommandError) {
    let isPlain = text.allSatisfy { $0.isASCIIAlphanumeric || "-_.".contains($0) }
    let isOfNoise = "\(text).csv".hasSuffix(NoiseFile.ending)
    guard isPlain, !isOfNoise, let first = text.first, first.isASCIIAlphanumeric, text.count <= 100
    else {
      throw .usage(
        "\(option) \(text.quotedOnOneLine) (allowed: letters, digits, and after the first one "
          + "- _ and ., but no .noise at the end)")
    }
    name = text
  }

  var path: String { "\(Self.folder)/\(name).csv" }

  /// Those that were saved here, in order.
  static var saved: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".csv") && !$0.hasSuffix(NoiseFile.ending) }.map {
      String($0.dropLast(4))
    }.sorted()
  }

  /// Refuses a name that was never saved here.
  func check() throws(CommandError) {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let saved = Self.saved
    guard !saved.isEmpty else {
      throw .usage(
        "there is no baseline in \(Self.folder)/ here (allowed: one that --save-baseline saved)")
    }
    throw .unknown("baseline", name, allowed: saved)
  }

  /// Copies the file, columns unknown to this version included; an older baseline of this name is
  /// replaced in one step.
  func save(fileAt path: String) throws(CommandError) {
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      try FileManager.default.createDirectory(
        atPath: Self.folder, withIntermediateDirectories: true)
      try saveNoise(ofFileAt: path)
      try data.write(to: URL(fileURLWithPath: self.path), options: .atomic)
    } catch {
      throw .failed("the baseline \(self.path) cannot be saved: \(error.localizedDescription)")
    }
  }

  /// What an A/A run beside the rows showed goes with them; that of an older baseline goes away.
  private func saveNoise(ofFileAt path: String) throws {
    let saved = NoiseFile.path(beside: self.path)
    guard let data = FileManager.default.contents(atPath: NoiseFile.path(beside: path)) else {
      if FileManager.default.fileExists(atPath: saved) {
        try FileManager.default.removeItem(atPath: saved)
      }
      return
    }
    try data.write(to: URL(fileURLWithPath: saved), options: .atomic)
  }
}
