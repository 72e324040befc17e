import SanitizerReports
import Testing

@Suite struct SuppressionTests {
  @Test func `each suppression has its reason, which may take several lines`() throws {
    let text = """
      # A heading of the file.

      # The framework keeps one
      # for each process.
      leak:s9Framework6SharedC
        # Indented.\t
      leak:cache\r
      """
    let all = try Suppression.all(in: text, file: "known")
    #expect(all.map(\.pattern) == ["s9Framework6SharedC", "cache"])
    #expect(all.map(\.reason) == ["The framework keeps one for each process.", "Indented."])
    #expect(Suppression.file(of: all) == "leak:s9Framework6SharedC\nleak:cache\n")
  }

  @Test(arguments: [
    ("leak:cache", 1, SuppressionError.Problem.noReason),
    ("# Known.\n\nleak:cache", 3, .noReason),
    ("# Known.\nleak:one\nleak:two", 3, .noReason),
    ("#\nleak:cache", 2, .noReason),
    ("# Known.\nleaks:cache", 2, .noSuppression),
    ("# Known.\nleak:", 2, .noSuppression),
    ("# Known.\nleak:XCTest", 2, .tooWide), ("# Known.\nleak:Testing", 2, .tooWide),
    ("# Known.\nleak:*", 2, .tooWide), ("# Known.\nleak:^malloc$", 2, .tooWide),
    ("# Known.\nleak:lloc", 2, .tooWide), ("# Known.\nleak:swift_*Object", 2, .tooWide),
    ("# Known.\nleak:swift_slow", 2, .tooWide), ("# Known.\nleak:libswiftCore", 2, .tooWide),
    ("# Known.\nleak:0A4CaseC", 2, .tooWide), ("# Known.\nleak:job_run", 2, .tooWide),
  ])
  func `a malformed suppression is an error with its line`(
    _ text: String, _ line: Int, _ problem: SuppressionError.Problem
  ) throws {
    let error = #expect(throws: SuppressionError.self) {
      try Suppression.all(in: text, file: "known")
    }
    #expect(error?.problem == problem)
    #expect(error?.description.hasPrefix("known:\(line): ") == true)
  }

  @Test func `the suppressions of the toolchain are narrow, and each has its reason`() throws {
    let all = try Suppression.toolchain
    #expect(
      all.map(\.pattern) == [
        "s6XCTest11XCTMainMisc", "s6XCTest0A8SuiteRunC4test", "swift_reportError",
      ])
    #expect(all.allSatisfy { !$0.reason.isEmpty })
  }
}
