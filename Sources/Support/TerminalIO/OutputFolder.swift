import Foundation

/// A folder that takes files, each replaced if it is there.
package struct OutputFolder: Sendable {
  package let path: String

  /// Makes the folder if it is not there.
  package init(_ text: String, option: String) throws(CommandError) {
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

  package func write(_ text: String, to name: String) throws(CommandError) {
    let destination = OutputDestination(replacing: "\(path)/\(name)")
    try destination.check()
    try OutputFile(opening: destination).write(text)
  }
}
