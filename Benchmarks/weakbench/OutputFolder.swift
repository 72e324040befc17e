import Benchmarking
import Charts
import Foundation
import Reporting

/// A folder that takes files, each replaced if it is there.
struct OutputFolder: Sendable {
  let path: String

  /// Makes the folder if it is not there.
  init(_ text: String, option: String) throws(CommandError) {
    guard !text.isEmpty else { throw .usage("\(option) '' (allowed: a folder)") }
    path = URL(fileURLWithPath: text).path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .usage(
        "\(option) \(text.quotedOnOneLine) cannot be made "
          + "(allowed: a folder, or a path where one may be made)")
    }
  }

  func write(_ text: String, to name: String) throws(CommandError) {
    let destination = OutputDestination(replacing: "\(path)/\(name)")
    try destination.check()
    try OutputFile(opening: destination).write(text)
  }

  func write(_ files: [ChartFile]) throws(CommandError) {
    for file in files { try write(file.svg, to: file.name) }
    Console.note("\(path) has \(NumberText.count(files.count)) charts")
  }

  /// A file for each kind of latency that was recorded, named by the row.
  func write(_ distributions: [LatencyDistribution], ofRow row: String) throws(CommandError) {
    for distribution in distributions where distribution.count > 0 {
      try write(distribution.text, to: "\(row).\(distribution.name).hgrm")
    }
  }
}
