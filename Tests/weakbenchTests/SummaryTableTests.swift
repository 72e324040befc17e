import ProgramTesting
import BenchmarkCommands
import Measurements
import Testing

@testable import weakbench

@Suite struct SummaryTableTests {
  private static func trials(
    of backend: String, _ times: [Double], kind: Measurement.Kind = .subject, threads: Int = 1,
    workload: String = "read-heavy", bytes: Measurement.Bytes = .init()
  ) -> [Measurement] {
    times.enumerated().map { index, time in
      .example(
        index + 1, backend, kind: kind, threads: threads, workload: workload,
        nanosecondsPerOperation: time, bytes: bytes)
    }
  }

  // Not in the order of the table: trials are shuffled.
  private static let rows =
    trials(of: "empty-loop", [1.2, 1.25, 1.3], kind: .baseline)
    + trials(
      of: "lock-free", [20, 21.5, 22],
      bytes: .init(allocatedPerOperation: 64, livePerEntry: 0))
    + trials(of: "mutex", [60, 50, 4321]) + trials(of: "ns-lock", [70], kind: .peer)

  @Test func `details line up, the best is marked, and what was not measured is no 0`() {
    #expect(
      SummaryTable(of: Self.rows, isQuick: false, details: true).text == """
        dictionary, read-heavy, size 1,024, 1 thread
        BACKEND                ns/op        min–max  ops/s  p50 ns  p99 ns  B/op  B/entry
        mutex                   60.0     50.0–4,321  16.7M    41.0   1,234     –        –
        lock-free               21.5  ★   20.0–22.0  46.5M    41.0   1,234  64.0     0.00
        ns-lock (peer)          70.0      70.0–70.0  14.3M    41.0   1,234     –        –
        empty-loop (baseline)   1.25      1.20–1.30   800M    41.0   1,234     –        –

        ★ fastest, beyond what at least 3 trials vary; ≈ may be the fastest; – not measured.
        ns/op: what one thread sees, median; B/op: allocated by an operation; B/entry: live for an entry.
        """)
  }

  @Test func `in the matrix thread counts are columns and contestants keep their order`() {
    let workloads = ["read-only", "mixed", "exchange", "rapid-grow", "read-heavy"]
    let rows =
      workloads.flatMap { Self.trials(of: "lock-free", [9, 8], threads: 8, workload: $0) }
      + Self.trials(of: "mutex", [1234, 12345], threads: 8, workload: "read-heavy") + Self.rows
    let text = SummaryTable(of: rows, isQuick: true, details: false).text
    #expect(
      text.contains(
        """
        dictionary, read-heavy, size 1,024
        BACKEND                1 thread     8 threads     B/op  B/entry
        mutex                      60.0         6,790        –        –
        lock-free                  21.5  ★       8.50  ≈  64.0     0.00
        ns-lock (peer)             70.0             –        –        –
        empty-loop (baseline)      1.25             –        –        –
        """))
    #expect(text.hasPrefix("dictionary, read-only"))
    #expect(text.hasSuffix("This was --quick: not for decisions."))
  }

  @Test func `two trials make contenders and no best`() {
    let rows = Self.trials(of: "lock-free", [9, 8]) + Self.trials(of: "mutex", [90, 80])
    let text = SummaryTable(of: rows, isQuick: false, details: true).text
    #expect(text.contains("≈"))
    #expect(text.split(separator: "\n").filter { $0.contains("★") }.count == 1)
  }

  @Test func `a custom workload shows its mix`() {
    let text = SummaryTable(
      of: Self.trials(of: "mutex", [1], workload: "custom"), isQuick: false, details: false
    ).text
    #expect(text.hasPrefix("dictionary, custom (read=98,insert=1,remove=1), size 1,024, 1 thread"))
  }

  @Test func `without rows there is no table`() {
    #expect(SummaryTable(of: [], isQuick: true, details: false).text.isEmpty)
  }
}
