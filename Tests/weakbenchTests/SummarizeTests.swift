import ProgramTesting
import Testing

@testable import weakbench

@Suite struct SummarizeTests {
  @Test func `a summary goes beside its rows, and is no summary of several files`() throws {
    let path = try SummarizeCommand.destination(nil, for: ["/tmp/rows.csv"])
    #expect(path == .replacing(path: "/tmp/rows.summary.csv"))
    #expect(try SummarizeCommand.destination("-", for: ["a", "b"]) == .standardOutput)
    let error = try commandError { _ = try SummarizeCommand.destination(nil, for: ["a", "b"]) }
    #expect(error.status == .usage)
  }
}
