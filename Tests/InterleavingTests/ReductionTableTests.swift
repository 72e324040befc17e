#if Interleaving
  import Foundation
  import Interleaving
  import Testing

  /// The table of executions in docs/verification.md.
  struct ReductionTableTests {
    private static let limit = 50_000

    private static func row(_ program: ReductionProgram) -> String {
      let full = program.explore(.depthFirst(preemptionBound: 1000), limit: limit)
      let reduced = program.explore(.dynamicPartialOrderReduction)
      let ratio = full.executions / reduced.executions
      let bound = full.isExhaustive ? "" : "> "
      return "| \(program) | \(bound)\(full.executions) | \(reduced.executions) "
        + "| \(reduced.blockedExecutions) | \(bound)\(ratio) |"
    }

    /// Prints the table, so that a change of the search can be copied to the document.
    @Test func `the documented table has the executions of each program`() throws {
      let document = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/verification.md")
      let text = try String(contentsOf: document, encoding: .utf8)
      for program in ReductionProgram.all {
        let row = Self.row(program)
        print(row)
        let isDocumented = text.contains(row)
        #expect(isDocumented, "\(row)")
      }
    }
  }
#endif
