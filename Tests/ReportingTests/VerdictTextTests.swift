import Measurements
import Testing

@testable import Charts
@testable import Reporting

@Suite struct VerdictTextTests {
  private func verdicts(_ rows: [Measurement]) -> VerdictText {
    VerdictText(of: ReportRows.report(of: rows).scopes[0].panels)
  }

  private func text(_ rows: [Measurement]) -> [String] {
    verdicts(rows).sentences.map { $0.subject + $0.rest }
  }

  private let rows =
    ReportRows.trials(of: "lock-free", takes: 20) + ReportRows.trials(of: "mutex", takes: 30)
    + ReportRows.trials(of: "actor", takes: 60)
    + ReportRows.trials(of: "lock-free", takes: 50, threads: 2)
    + ReportRows.trials(of: "mutex", takes: 50.2, threads: 2)

  @Test func `who wins, by how much, who does not, and what is undecided`() {
    #expect(
      text(rows) == [
        "lock-free wins 1 comparison: read-only (1 thread). The next takes 1.50 times as long.",
        "mutex and actor win none.", "Undecided: read-only (2 threads).",
      ])
    #expect(
      verdicts(rows).overview
        == "2 comparisons of a workload at a number of threads: 1 decided, 1 not.")
  }

  @Test func `a peer that is faster is named, not ranked`() {
    let peer = ReportRows.trials(of: "ns-lock", takes: 5, kind: .peer)
    #expect(
      text(rows + peer).last
        == "Faster than any backend by the median, but not ranked: ns-lock (peer) in read-only (1 thread)."
    )
    #expect(text(rows + peer).dropLast() == text(rows)[...])
  }

  @Test func `a backend alone has beaten nobody`() {
    let alone = ReportRows.trials(of: "mutex", takes: 30)
    #expect(text(alone).isEmpty)
    #expect(verdicts(alone).overview.hasPrefix("Nothing is compared"))
  }
}
