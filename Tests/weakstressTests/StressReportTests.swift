import Testing
import WeakCollections

@testable import StressTesting
@testable import weakstress

@Suite struct StressReportTests {
  private func finding() throws -> Finding {
    let scenario = try Scenario(parsing: "i0-0/i0-1", for: .dictionary)
    let operations = [0, 1].map { lane in
      RecordedOperation(
        lane: lane, step: scenario.threads[lane].steps[0], call: UInt64(lane),
        return: UInt64(lane + 2), answer: .value([lane]))
    }
    let recording = Recording(operations: operations, aftermath: Aftermath())
    let partialLinearization = PartialLinearization(
      partition: "key #0",
      points: [PartialLinearization.Point(operation: 0, stamp: 2, state: "[0]")],
      stuck: [1])
    return Finding(
      subject: "published", scenario: scenario,
      violation: Violation(
        .notLinearizable, "no order", recording: recording,
        partialLinearization: partialLinearization),
      replay: ReplayString(scenario, .threads(seed: 7)))
  }

  @Test func `a finding is a table with a column for each thread, a reason and a command`() throws {
    #expect(
      FindingText(finding: try finding()).text == """
        published dictionary: not linearizable: no order
        2 threads, 2 operations

          thread 0              thread 1
          get or insert #0 ← 0
                                get or insert #0 ← 1
            → [0]  (1)
                                  → [1]  ✗

        The longest partial linearization of key #0:
          (1) get or insert #0 ← 0 → [0]   leaves [0]
        None of these can come next:
          ✗ get or insert #0 ← 1 → [1]

        Repeat it:
          weakstress replay --backend published --collection dictionary \
        wc1.threads.dictionary.i0-0/i0-1.7

        """)
  }

  @Test func `a schedule is shown as its runs`() throws {
    var finding = try finding()
    finding.violation.trace = [(0, "load"), (0, "store"), (1, "load"), (0, "update")].map {
      TraceLine(thread: $0.0, text: $0.1)
    }
    let text = FindingText(finding: finding).text
    #expect(
      text.contains(
        """
        The schedule, with 2 switches:
          thread 0, 2 steps to  store
          thread 1, 1 step to  load
          thread 0, 1 step to  update
        """))
  }

  @Test func `a table of what was tried adds up`() {
    var row = StressTable.Row(backend: "mutex", collection: .dictionary, driver: .threads)
    row.tally.scenarios = 1200
    row.tally.histories = 3
    let table = StressTable(rows: [row, row])
    #expect(table.csv.split(separator: "\n")[1] == "mutex,dictionary,threads,1200,0,3,,0,0")
    #expect(
      table.markdown.split(separator: "\n").last == "| all |  |  | 2,400 | 0 | 6 | – | 0 | 0 |")
    #expect(table.text.contains("1,200"))
  }
}
