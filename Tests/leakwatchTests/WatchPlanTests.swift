import TerminalIO
import ProgramTesting
import ArgumentParser
import LeakMonitoring
import Testing

@testable import leakwatch

struct WatchPlanTests {
  private func plan(_ line: String) throws -> WatchPlan {
    try WatchPlan(try WatchOptions.parse(line.split(separator: " ").map(String.init)))
  }

  @Test func `a demo takes ten seconds, a file is followed indefinitely`() throws {
    let demo = try plan("--demo")
    #expect(demo.source == .demo && demo.seconds == 10 && demo.baseline == nil)
    #expect(try plan("--demo --seconds 0.5").seconds == 0.5)
    let file = try plan("a.jsonl")
    #expect(file.source == .file(path: "a.jsonl", isFollowed: true) && file.seconds == nil)
    #expect(try plan("a.jsonl --once").source == .file(path: "a.jsonl", isFollowed: false))
    #expect(try plan("a.jsonl --seconds 3").seconds == 3)
  }

  @Test(arguments: [
    "", "--demo a.jsonl", "--demo --once", "a.jsonl --once --seconds 3", "--demo --seconds 0",
    "--demo --seconds x", "--demo --html leaks.txt", "--demo --html /none/leaks.html",
    "--demo --write-baseline /none/known.json", "--demo --baseline /none/known.json",
  ])
  func `invalid arguments are refused in one line`(_ line: String) throws {
    let error = try commandError { _ = try plan(line) }
    #expect(error.status == .usage)
    #expect(!error.description.contains("\n") && error.description.contains("allowed"))
  }

  @Test func `a damaged baseline is bad data, reported with line and column`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("known.json", containing: "{\"schema\": 1,\n \"leaks\": 3}")
    let error = try commandError { _ = try plan("a.jsonl --baseline \(path)") }
    #expect(error.status == .badData)
    #expect(error.description == "\(path):2:11: expected an array for 'leaks'")
  }

  @Test func `a file that is read cannot be an output too`() throws {
    let folder = try TemporaryFolder()
    let known = try folder.file("known.json", containing: "{\"schema\": 1, \"leaks\": []}")
    let reports = try folder.file("reports.html", containing: "")
    for line in [
      "a.jsonl --baseline \(known) --write-baseline \(known)", "\(reports) --html \(reports)",
    ] {
      let error = try commandError { _ = try plan(line) }
      #expect(error.status == .usage)
      #expect(error.description.hasSuffix("which is read (allowed: another path)"))
    }
  }
}
