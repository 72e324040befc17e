import Foundation

/// A folder of its own for a test, gone afterwards.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("weakbench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? remove() }

  /// Before its time, for what is to fail without it.
  package func remove() throws { try FileManager.default.removeItem(atPath: path) }

  package func file(_ name: String, containing text: String? = nil) throws -> String {
    let file = "\(path)/\(name)"
    if let text { try text.write(toFile: file, atomically: false, encoding: .utf8) }
    return file
  }

  /// The names of the files, in order.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  package func text(of name: String) throws -> String {
    try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
  }
}
