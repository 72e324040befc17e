import Foundation
import Testing

/// Checks the paths that the documents name outside links, as in `scripts/test`, and CI's jobs.
struct PathTests {
  @Test func `every file and folder that the documents name exists`() throws {
    var missing: [String] = []
    var count = 0
    for page in Checkout.pages {
      let text = try Checkout.text(of: page)
      for (number, line) in text.components(separatedBy: "\n").enumerated() {
        for path in Self.paths(in: line) {
          count += 1
          if !Checkout.exists(path) { missing.append("\(page):\(number + 1): \(path)") }
        }
      }
    }
    #expect(count > 50)
    #expect(missing == [])
  }

  @Test func `a path starts a word and ends before punctuation and placeholders`() {
    let line = "`scripts/test --help`, Tests/Faults/<X>, results/*.csv, (docs/csv.md). ../docs"
    #expect(Self.paths(in: line) == ["scripts/test", "Tests/Faults/", "docs/csv.md"])
  }

  @Test(arguments: [".ci/run", ".ci/nightly"])
  func `the contribution guide has a row for each job of CI`(list: String) throws {
    let script = try Checkout.text(of: list).components(separatedBy: "\njobs=(\n")[1]
    let jobs = script.components(separatedBy: "\n)\n")[0].components(separatedBy: "\n")
      .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \"")) }
      .map { $0.hasPrefix("alone: ") ? String($0.dropFirst(7)) : $0 }
      .compactMap { $0.components(separatedBy: " ").first }
    let guide = try Checkout.text(of: "CONTRIBUTING.md")
    #expect(jobs.count > 10)
    let missing = jobs.filter { !guide.contains("\n| `\($0)` | ") }
    #expect(missing == [])
  }

  private static let folders = [
    "Sources", "Benchmarks", "Tests", "Examples", "Plugins", "scripts", "docs", "results",
  ]

  /// Returns the paths that begin with one of the package's folders.
  private static func paths(in line: String) -> [String] {
    line.matches(of: #/(?:^|[\s`(])(\w+\/[\w+.\-\/]+)/#).map { match in
      String(match.output.1.hasSuffix(".") ? match.output.1.dropLast() : match.output.1)
    }.filter { path in
      folders.contains { path.hasPrefix("\($0)/") }
    }
  }
}
