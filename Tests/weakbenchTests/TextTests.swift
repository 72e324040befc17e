import TerminalIO
import Benchmarking
import Testing

@testable import weakbench

@Suite struct TextTests {
  @Test func `times are ISO 8601 in UTC`() {
    let time = UTCTime(secondsSince1970: 1_795_262_220)
    #expect(time.extended == "2026-11-21T11:57:00Z")
    #expect(time.compact == "20261121T115700Z")
  }

  @Test func `what somebody typed is quoted on one line`() {
    #expect("a\r\nb\u{1B}c".quotedOnOneLine == "'a b c'")
    #expect(String(repeating: "x", count: 99).quotedOnOneLine.count == 63)
  }
}
