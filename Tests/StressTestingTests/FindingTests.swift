import Foundation
import Testing
import WeakCollections

@testable import StressTesting

/// Tests of the reports of a known violation.
@Suite struct FindingTests {
  private static func finding() throws -> Finding {
    let scenario = try Scenario(parsing: "i0-0/i0-1", for: .dictionary)
    func operation(_ lane: Int, _ call: UInt64, _ end: UInt64) -> RecordedOperation {
      RecordedOperation(
        lane: lane, step: scenario.threads[lane].steps[0], call: call, return: end,
        answer: .value([lane]))
    }
    let recording = Recording(
      operations: [operation(0, 0, 2), operation(1, 1, 3)],
      aftermath: Aftermath(contents: .pairs([Answer.Pair(key: 0, list: [1])]), count: 1))
    guard case .violation(let violation) = RecordingCheck(scenario).verdict(on: recording) else {
      throw TestError.noViolation
    }
    return Finding(
      subject: "check-then-act", scenario: scenario, violation: violation,
      replay: ReplayString(scenario, .threads(seed: 7)))
  }

  private enum TestError: Error { case noViolation }

  @Test func `the table has a column for each thread and a row for each event`() throws {
    let timeline = try #require(Self.finding().timeline)
    #expect(timeline.laneNames == ["thread 0", "thread 1"])
    #expect(timeline.rows.count == 4)
    #expect(timeline.rows[0] == ["get or insert #0 ← 0", ""])
    #expect(timeline.rows[1] == ["", "get or insert #0 ← 1"])
    let marks = timeline.rows.joined().filter { $0.hasSuffix("(1)") || $0.hasSuffix("✗") }
    #expect(marks.count == 2)
  }

  @Test
  func `the explanation has the partial linearization and the operations that cannot follow it`()
    throws
  {
    let text = try Self.finding().explanation.joined(separator: "\n")
    #expect(text.contains("key #0"))
    #expect(text.contains("leaves ["))
    #expect(text.contains("✗ get or insert"))
  }

  @Test func `the replay command has the finding's scenario and seed`() throws {
    let finding = try Self.finding()
    #expect(
      finding.replayCommand == "weakstress replay --backend check-then-act --collection dictionary "
        + "wc1.threads.dictionary.i0-0/i0-1.7")
    #expect(finding.size == "2 threads, 2 operations")
  }

  @Test func `the page is well-formed, needs no network, and shows states`() throws {
    let html = FindingPage(try Self.finding()).html
    #expect(html.hasPrefix("<!DOCTYPE html>"))
    #expect(!html.contains("http") && !html.contains("<script"))
    #expect(html.contains("prefers-color-scheme: dark"))
    #expect(html.components(separatedBy: "<rect").count == 3)
    #expect(html.contains("class=\"stuckbar\"") && html.contains("class=\"point\""))
    #expect(html.contains("leaves [0]") || html.contains("leaves [1]"))
    for tag in ["svg", "div", "ol", "ul", "g", "body", "html"] {
      #expect(
        html.components(separatedBy: "<\(tag)").count
          == html.components(separatedBy: "</\(tag)>").count, "\(tag)")
    }
  }

  @Test func `a page shows the steps of a scheduler's thread, with markup escaped`()
    throws
  {
    var finding = try Self.finding()
    finding.violation.trace = [TraceLine(thread: 1, text: "load <node> & \"word\"")]
    let html = FindingPage(finding).html
    #expect(html.contains("load &lt;node&gt; &amp; &quot;word&quot;"))
    #expect(!html.contains("<node>"))
  }
}
