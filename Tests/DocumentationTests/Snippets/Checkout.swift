import Foundation

/// The files of the package that these tests are of.
enum Checkout {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The README, and the pages of the documentation.
  static let pages =
    ["README.md"] + ["Sources", "Benchmarks"].flatMap { files(in: $0, endingIn: ".md") }

  /// The sources whose comments are documentation.
  static let sources = ["Sources", "Benchmarks"].flatMap { files(in: $0, endingIn: ".swift") }

  /// All tests that the manifest has.
  static let tests = files(in: "Tests", endingIn: ".swift").filter { path in
    path.split(separator: "/")[1].hasSuffix("Tests")
  }

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static func files(in folder: String, endingIn suffix: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
    return (all?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }.sorted()
  }
}
