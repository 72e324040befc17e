import Foundation
import LeakTesting
import Testing

// The example of the README's "In tests", whose lines are all here; its test case is in `XCTest/`.

@Suite(.noLeaks)
struct ScreenTests {
  private let screen = track(Screen())  // Must be gone when the test is.

  @Test(arguments: [1, 2]) func `it opens`(_ times: Int) {
    for _ in 0..<times { screen.open() }
  }

  @Test func `it closes`() async {
    await withLeakScope {
      let screen = track(Screen())
      screen.close()
    }
    await expectDeallocated { Screen() }
  }
}

struct ReadmeTestingTests {
  @Test func `the example in the README is what is compiled here`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
    let readme = try text(root.appendingPathComponent("README.md"))
    let section = readme.components(separatedBy: "\n### In tests\n")[1]
    let example = section.components(separatedBy: "```swift\n")[1]
      .components(separatedBy: "```")[0]
    let compiled =
      try text(URL(fileURLWithPath: #filePath))
      + text(folder.appendingPathComponent("XCTest/ReadmeTestCase.swift"))
    let lines = Set(compiled.split(separator: "\n").map(trimmed))
    for line in example.split(separator: "\n").map(trimmed) {
      #expect(lines.contains(line))
    }
  }

  private func text(_ file: URL) throws -> String {
    try String(contentsOf: file, encoding: .utf8).replacing("  private let", with: "  let")
  }

  private func trimmed(_ line: Substring) -> String {
    line.trimmingCharacters(in: .whitespaces)
  }
}
