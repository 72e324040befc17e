import TerminalIO
import ProgramTesting
import ArgumentParser
import LeakMonitoring
import Testing

@testable import leakwatch

struct WatchEndingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func ending(_ line: String, _ records: LeakRecord...) throws -> WatchEnding {
    var watched = WatchedLeaks()
    for record in records { watched.note(record) }
    let arguments = line.replacing("DIR", with: folder.path).split(separator: " ")
    let plan = try WatchPlan(try WatchOptions.parse(arguments.map(String.init)))
    return WatchEnding(plan, watched, on: try #require(CalendarDay("2026-11-22")))
  }

  @Test func `a leak sets the exit status, but not in the demo, nor after a late deallocation`()
    throws
  {
    #expect(try ending("a.jsonl").status == .fine)
    #expect(try ending("a.jsonl", .example()).status == .found)
    #expect(try ending("a.jsonl", .example(), .example(.late)).status == .fine)
    #expect(try ending("--demo", .example()).status == .fine)
  }

  @Test func `a file without reports is a failure, unless a baseline expects none`() throws {
    let ending = try ending("a.jsonl --once")
    #expect(ending.status == .failed && ending.missingReports?.status == .failed)
    let late = try self.ending("a.jsonl --once", .example(), .example(.late))
    #expect(late.status == .fine && late.missingReports == nil)
    let none = try self.ending("a.jsonl --once --write-baseline DIR/none.json")
    #expect(none.status == .fine && none.missingReports == nil && none.write() == nil)
    #expect(try self.ending("a.jsonl --once --baseline DIR/none.json").status == .fine)
  }

  @Test func `the leaks of a run can be written as known, and are fine until they change`() throws {
    let writing = try ending("a.jsonl --write-baseline DIR/known.json", .example(live: 3))
    #expect(writing.write() == nil && writing.status == .fine)
    let known = try folder.text(of: "known.json")
    #expect(known.contains(#"{"fingerprint":"excess App.Session","count":2,"#))
    let line = "a.jsonl --baseline DIR/known.json"
    #expect(try ending(line, .example(live: 3)).status == .fine)
    #expect(try ending(line, .example(live: 4)).status == .found, "new")
    #expect(try ending(line).status == .found, "outdated")
    #expect(try ending(line, .example(live: 2)).status == .found, "outdated")
    #expect(
      try ending(line.replacing("a.jsonl", with: "--demo"), .example(live: 4)).status == .found)
    let lines = try ending(line, .example(live: 3), .example(type: "App.Other")).lines(width: 80)
    #expect(
      lines.suffix(2) == ["new: excess App.Other: 1", "1 known leak, 1 new, outdated or expired"])
  }

  @Test func `the page shows the results, and escapes hostile names`() throws {
    let hostile = "</title><script>alert(1)</script>"
    let ending = try ending(
      "a.jsonl --html DIR/leaks.html", .example(live: 3), .example(type: hostile))
    #expect(ending.write() == nil)
    let page = try folder.text(of: "leaks.html")
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    #expect(page.contains("2 classes and groups, 2 leaks of 3 instances in 0 s"))
    #expect(page.contains("<figure data-chart=\"all\">") && !page.contains(hostile))
    #expect(page.contains("App/Session.swift:7: Session: 3 instances of App.Session are alive"))
  }

  @Test func `a page that cannot be written is reported`() throws {
    let ending = try ending("a.jsonl --html DIR/leaks.html")
    try folder.remove()
    #expect(ending.write()?.status == .failed)
  }
}
