import Foundation

/// A folder of its own for a test, gone afterwards.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("weakbench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? remove() }

  /// Before its time, for what is to fail without it.
  func remove() throws { try FileManager.default.removeItem(atPath: path) }

  func file(_ name: String, containing text: String? = nil) throws -> String {
    let file = "\(path)/\(name)"
    if let text { try text.write(toFile: file, atomically: false, encoding: .utf8) }
    return file
  }

  func text(of name: String) throws -> String {
    try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
  }
}
