import Measurements
import Testing

@testable import Charts
@testable import Reporting

@Suite struct ContentionPanelTests {
  /// Returns three trials for each number of threads. Their time grows with the contention.
  private static func rows(
    of backend: String, threads: [Int] = [1, 2, 4, 8], contention: Double = 0.25,
    kind: Measurement.Kind = .subject, _ change: (inout Measurement) -> Void = { _ in }
  ) -> [Measurement] {
    threads.flatMap { count in
      ReportRows.trials(
        of: backend, takes: 20 * (1 + contention * Double(count - 1)), kind: kind, threads: count
      ).map { row in
        var row = row
        change(&row)
        return row
      }
    }
  }

  private static func panel(of rows: [Measurement]) -> Panel {
    ReportRows.report(of: rows).scopes[0].panels[0]
  }

  @Test func `every contention metric has a line, with n/a if it was not measured`() throws {
    let panel = Self.panel(
      of: Self.rows(of: "mutex") { row in
        if row.configuration.threads == 8 { row.contention.lockWaitShare = 62.5 }
      })
    let html = panel.contentionTables.rendered
    for metric in Metric.contention {
      #expect(html.contains("\(metric.axisTitle.capitalizedFirst.escapedForMarkup)</th>"))
    }
    #expect(html.contains("62.5 %"))
    // All metrics but fairness and the one above.
    let missing = html.split(separator: ">n/a<", omittingEmptySubsequences: false).count - 1
    #expect(missing == Metric.contention.count - 2)
  }

  @Test func `a metric has a chart if it was measured, or if every system provides it`() {
    let names = Self.panel(of: Self.rows(of: "mutex")).contentionCharts.map(\.name)
    #expect(names == ["fairness", "waits", "preemptions", "failed-exchanges"])
    let rows = Self.rows(of: "mutex") { $0.contention.reclamation.limboPeakEntries = 384 }
    #expect(Self.panel(of: rows).contentionCharts.map(\.name).last == "limbo-peak-entries")
  }

  @Test func `the fitted law is drawn with its band over the measured range only`() throws {
    let panel = Self.panel(of: Self.rows(of: "mutex"))
    let line = try #require(panel.scalabilityChart.chart.lines.first)
    #expect(line.points.map(\.x) == [1, 2, 4, 8])
    #expect(line.curve.map(\.x) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(line.curve.allSatisfy { $0.band!.contains($0.y) })
    let fit = try #require(panel.scalability[line.key])
    #expect(abs(fit.law.contention - 0.25) < 0.01)
    #expect(panel.scalabilityChart.chart.shade != nil)
  }

  @Test func `with too few numbers of threads no law is fitted, and the page says so`() {
    let few = Self.panel(of: Self.rows(of: "mutex", threads: [1, 2, 8]))
    #expect(few.scalability.isEmpty && few.scalabilityChart.chart.lines.isEmpty)
    #expect(ChartDrawing(few.scalabilityChart.chart).svg.rendered.contains("n/a: the law needs 4"))
    #expect(few.contentionTables.rendered.contains("at most 3 were measured"))
    let some = Self.panel(of: Self.rows(of: "mutex") + Self.rows(of: "actor", threads: [1, 2]))
    #expect(some.scalabilityChart.chart.lines.map(\.key.name) == ["mutex"])
    #expect(some.scalabilityChart.chart.aside == "fewer than 4 numbers of threads: actor")
  }

  @Test
  func `the table has a line for each contestant, and marks numbers of threads beyond the cores`() {
    let rows = Self.rows(of: "mutex") + Self.rows(of: "ns-lock", threads: [1, 2], kind: .peer)
    let text = ScalabilityTables(ReportRows.report(of: rows)).text
    let lines = text.split(separator: "\n")
    #expect(lines[0] == "dictionary, read-only, 1, 2, 4*, 8* threads")
    #expect(lines[2].hasPrefix("mutex ") && lines[2].contains("> 16"))
    #expect(lines[3] == "Not fitted, too few numbers of threads: ns-lock (peer) (2).")
  }

  @Test func `derived rows have all digits, and empty fields if no law was fitted`() throws {
    let rows = Self.rows(of: "mutex") + Self.rows(of: "actor", threads: [1, 2])
    let lines = ScalabilityCSV(ReportRows.report(of: rows)).text.split(separator: "\n")
    let grid = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(grid.count == 3 && Set(grid.map(\.count)).count == 1)
    func field(_ row: Int, _ name: String) throws -> Substring {
      grid[row][try #require(grid[0].firstIndex { $0 == name })]
    }
    #expect(try field(1, "backend") == "mutex" && field(1, "thread_counts_beyond_cores") == "2")
    #expect(abs(Double(try field(1, "contention"))! - 0.25) < 0.01)
    let interval = try (field(1, "contention_low"), field(1, "contention_high"))
    #expect(Double(interval.0)! <= 0.25 && Double(interval.1)! >= 0.25)
    #expect(try field(1, "peak_threads") == "" && field(1, "peak_searched_to_threads") == "16")
    #expect(try field(2, "backend") == "actor" && field(2, "thread_counts") == "2")
    #expect(try field(2, "contention") == "" && field(2, "r_squared") == "")
  }

  @Test func `the same rows yield the same figures`() {
    let rows = Self.rows(of: "mutex")
    let texts = (0..<2).map { _ in ScalabilityCSV(ReportRows.report(of: rows)).text }
    #expect(texts[0] == texts[1])
  }
}
