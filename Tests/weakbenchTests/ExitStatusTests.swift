import TerminalIO
import ArgumentParser
import Foundation
import Testing

@testable import weakbench

@Suite struct ExitStatusTests {
  @Test func `the README has the table of the enum under its heading`() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let sections = readme.components(separatedBy: "\n## Exit statuses\n")
    #expect(sections.count == 2)
    let section = sections.last?.components(separatedBy: "\n## ").first ?? ""
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("|") }.map { $0 + "\n" }
    #expect(rows.joined() == ExitStatus.markdownTable)
  }

  @Test func `the numbers are those that scripts rely on`() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 64, 65, 130])
  }

  @Test func `the help names every status and none of its lines wraps`() {
    let lines = WeakbenchCommand.helpMessage(columns: 80).split(separator: "\n")
    for status in ExitStatus.allCases {
      #expect(lines.contains { $0.hasSuffix("\(status.rawValue)  \(status.meaning)") })
    }
  }
}
