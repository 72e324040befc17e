import Foundation

/// The files of the package that these tests check.
enum Checkout {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The article that shows how to find a leak.
  static let findingALeak = "Sources/LeakTesting/LeakTesting.docc/FindingALeak.md"

  /// The documents: those of the root, of `docs`, and the pages of the DocC catalogs.
  static let pages =
    ["CONTRIBUTING.md", "README.md"]
    + ["docs", "Sources", "Benchmarks"].flatMap { files(in: $0, endingIn: ".md") }

  /// The sources whose comments are documentation.
  static let sources = ["Sources", "Benchmarks"].flatMap { files(in: $0, endingIn: ".swift") }

  /// The sources of all test targets in the manifest.
  static let tests = files(in: "Tests", endingIn: ".swift").filter { path in
    path.split(separator: "/")[1].hasSuffix("Tests")
  }

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Returns the blocks of a page that are fenced as `text`: output, and no code.
  static func textBlocks(of path: String) throws -> [String] {
    try text(of: path).components(separatedBy: "```text\n").dropFirst()
      .map { $0.components(separatedBy: "\n```")[0] }
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  private static func files(in folder: String, endingIn suffix: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
    return (all?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }.sorted()
  }
}
