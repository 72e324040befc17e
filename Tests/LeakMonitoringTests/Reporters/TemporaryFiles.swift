import Foundation

/// A folder of its own for a test, gone afterwards.
final class TemporaryFiles {
  let folder: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("leaks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folder = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String, containing text: String? = nil) throws -> String {
    let path = "\(folder)/\(name)"
    if let text { try text.write(toFile: path, atomically: false, encoding: .utf8) }
    return path
  }

  func text(of name: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
  }
}
