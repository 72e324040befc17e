import Foundation
import Measurements
import Testing

@testable import Charts
@testable import Reporting

@Suite struct BenchmarkReportTests {
  private let report = ReportRows.report(of: ReportRows.many)

  @Test func `each workload of each collection has its charts, in the order of the catalog`() {
    let panels = report.scopes[0].panels
    #expect(
      panels.map { "\($0.configuration.collection) \($0.name)" } == [
        "weak-array read-only", "dictionary read-only", "dictionary exchange",
      ])
    for panel in panels {
      let names = panel.charts.map { $0.name }
      #expect(
        names.starts(with: ["throughput", "latency-2-threads", "scalability", "bytes-per-entry"]))
      #expect(names.contains("latency-1-threads") && names.contains("latency-8-threads"))
      #expect(Set(names).count == names.count)
    }
  }

  @Test func `each contestant has a line, with a point and a band for each number of threads`() {
    let chart = report.scopes[0].panels[0].throughputChart.chart
    #expect(
      chart.lines.map(\.key.text) == [
        "mutex", "actor", "lock-free", "ns-lock (peer)", "published-queue (published design)",
      ])
    // The empty loop is a hundred times as fast. Its scale would make the other lines flat.
    #expect(chart.aside == "not drawn: empty-loop, 990 M/s to 7.92 G/s")
    for line in chart.lines {
      #expect(line.points.map(\.x) == [1, 2, 8])
      #expect(line.points.allSatisfy { $0.band!.contains($0.y) && !$0.note.isEmpty })
    }
    let keys = report.scopes[0].panels[0].latencyChart.chart.lines.map(\.key)
    #expect(keys.map(\.role).contains(.baseline))
    #expect(Set(keys.map(\.className)).count == 6)
  }

  @Test func `the area of more threads than cores is shaded, with a text`() throws {
    let chart = report.scopes[0].panels[0].throughputChart.chart
    let shade = try #require(chart.shade)
    #expect(shade.from > 2 && shade.from < 8)
    #expect(shade.text.contains("2 cores"))
    let few = ReportRows.report(of: ReportRows.trials(of: "mutex", takes: 9, threads: 2))
    #expect(few.scopes[0].panels[0].throughputChart.chart.shade == nil)
  }

  @Test func `percentiles that no row has are left out, and a chart without rows says so`() {
    let panel = report.scopes[0].panels[0]
    #expect(panel.latencyChart.chart.lines[0].points.map(\.x) == [0, 2, 4])
    let bytes = panel.bytesCharts[0].chart
    #expect(bytes.lines.allSatisfy { $0.points.isEmpty })
    #expect(ChartDrawing(bytes).svg.rendered.contains("– not measured"))
  }

  @Test func `rows of different commits or numbers of entries are separate, never averaged`() {
    let rows =
      ReportRows.trials(of: "mutex", takes: 10)
      + ReportRows.trials(of: "mutex", takes: 1000, commit: "g2")
      + ReportRows.trials(of: "mutex", takes: 70, entries: 64)
    let report = ReportRows.report(of: rows)
    #expect(report.scopes.map(report.heading) == ["commit g1", "commit g2"])
    #expect(
      report.scopes[0].panels.map(\.name) == ["read-only, 64 entries", "read-only, 1,024 entries"])
    let panels = report.scopes.flatMap(\.panels)
    #expect(panels.allSatisfy { $0.series.map(\.summary.trials) == [3] })
  }

  @Test func `the file of each chart has a unique name and is XML`() throws {
    let files = report.chartFiles
    #expect(files.count == report.chartCount)
    #expect(Set(files.map(\.name)).count == files.count)
    #expect(files[0].name == "weak-array-read-only-throughput.svg")
    for file in files {
      #expect(
        file.name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-.".utf8.contains($0) })
      #expect(
        file.svg.components(separatedBy: "<g").count
          == file.svg.components(separatedBy: "</g>").count)
    }
  }

  @Test(arguments: [
    "<script>x()</script>", "\"><img src=x onerror=x()>", "\"\u{301} onload=\"x()", "</style>",
    "../..",
  ])
  func `a name with markup is escaped`(_ name: String) {
    let rows = ReportRows.trials(
      of: name, takes: 10, collection: name, workload: name, commit: name)
    let report = ReportRows.report(of: rows + ReportRows.trials(of: "mutex", takes: 30))
    let html = ReportPage(report).html
    #expect(html.components(separatedBy: "<script").count == 2)
    for part in ["<img", "onload=\"", "onload='"] { #expect(!html.contains(part)) }
    #expect(html.components(separatedBy: "</style>").count == 2)
    #expect(report.chartFiles.allSatisfy { !$0.name.contains("/") && !$0.name.contains("..") })
  }

  @Test func `the page has the throughput at the median time`() throws {
    var rows = ReportRows.trials(of: "mutex", takes: 10, threads: 4, count: 2)
    rows[1].throughput.nanosecondsPerOperation = 100
    rows[1].throughput.operationsPerSecond = 4e7
    let series = try #require(ReportRows.report(of: rows).scopes[0].panels[0].series.first)
    let rate = try #require(series.spread(of: .throughput)?.median)
    #expect(abs(rate * series.medianTime / 4e9 - 1) < 1e-12)
    #expect(
      ReportPage(ReportRows.report(of: rows)).html.contains("<td class=\"text\">mutex ~</td>"))
  }

  @Test func `the table of winners marks the winner, and a text explains its symbols`() {
    let html = ReportPage(report).html
    #expect(html.contains(">★ lock-free <small>1.50×</small>"))
    #expect(html.contains("★ wins (☆ in one session); 2× means that the next takes twice as long."))
    #expect(html.contains("* More threads than cores."))
    // The map of verdicts links to the workload, whose charts are in a template.
    #expect(
      html.contains(
        "<a href=\"#s0p0\" title=\"1 thread: lock-free is the fastest, then mutex, 1.50×\">★ lock-free"
      ))
    #expect(html.contains("<article id=\"s0p0\">") && html.contains("<template>"))
    let few = ReportPage(ReportRows.report(of: ReportRows.trials(of: "mutex", takes: 9))).html
    #expect(!few.contains("* More threads than cores."))
  }

  @Test func `a page of one session says so`() {
    func html(_ rows: [Measurements.Measurement]) -> String {
      ReportPage(ReportRows.report(of: rows)).html
    }
    let one = ReportRows.trials(of: "mutex", takes: 9, count: 1)
    #expect(html(one).contains("One session: verdicts on it are indicative"))
    #expect(
      html(ReportRows.trials(of: "actor", takes: 9) + one)
        .contains("Some series have one session: verdicts on it are indicative"))
    #expect(!ReportPage(report).html.contains("indicative"))
    let both = one + ReportRows.trials(of: "actor", takes: 9, count: 1)
    #expect(html(both).contains("One session was measured: its verdicts are indicative"))
  }

  @Test func `the page names machine, time and versions, and loads nothing from the network`() {
    let html = ReportPage(report).html
    for fact in [
      "two-cores", "swift-6.3.1", "jemalloc", "g1", "2026-11-21T12:00:02Z", "162 in 1 run",
    ] {
      #expect(html.contains(fact), "\(fact)")
    }
    #expect(html.contains("default-src 'none'"))
    for part in ["http:", "https:", "src=", "url("] { #expect(!html.contains(part)) }
    #expect(html.components(separatedBy: "<article").count - 1 == 3)
    #expect(html.components(separatedBy: "<figure").count - 1 == report.chartCount)
    #expect(html.components(separatedBy: "<tr class=").count - 1 == 54)
  }
}

@Suite struct VerdictTextTests {
  private func verdicts(_ rows: [Measurements.Measurement]) -> VerdictText {
    VerdictText(of: ReportRows.report(of: rows).scopes[0].panels, standard: "lock-free")
  }

  private func text(_ rows: [Measurements.Measurement]) -> [String] {
    verdicts(rows).sentences.map { $0.subject + $0.rest }
  }

  private let rows =
    ReportRows.trials(of: "lock-free", takes: 20) + ReportRows.trials(of: "mutex", takes: 30)
    + ReportRows.trials(of: "actor", takes: 60)
    + ReportRows.trials(of: "lock-free", takes: 50, threads: 2)
    + ReportRows.trials(of: "mutex", takes: 50.2, threads: 2)
    + ReportRows.trials(of: "lock-free", takes: 50, threads: 4)
    + [40.0, 70, 50].enumerated().map { session, time in
      var row = ReportRows.trials(of: "mutex", takes: time, threads: 4)[session]
      row.throughput.nanosecondsPerOperation = time
      return row
    }

  @Test
  func `the text names the winners with their margins, the others, and undecided comparisons`() {
    #expect(
      text(rows) == [
        "lock-free wins 1 comparison: read-only (1 thread). The next takes 1.50 times as long.",
        "mutex and actor win none.", "Undecided: read-only (4 threads).",
        "Equivalent: read-only (2 threads).",
      ])
    #expect(
      verdicts(rows).overview
        == "3 comparisons of a workload at a number of threads: 1 with a winner, 1 equivalent, "
        + "1 undecided.")
  }

  @Test
  func `the answer is the backend that wins the most comparisons, and names those it loses`() {
    #expect(
      verdicts(rows).answer
        == .init(subject: "Use lock-free", rest: ": it wins 1 of 3 comparisons."))
    let mixed = [("mutex", 10.0), ("lock-free", 30)].flatMap { name, time in
      ReportRows.trials(of: name, takes: time, workload: "mixed")
        + ReportRows.trials(of: name, takes: time, workload: "mixed", threads: 2)
    }
    #expect(
      verdicts(rows + mixed).answer
        == .init(
          subject: "Use mutex",
          rest:
            ": it wins 2 of 5 comparisons. But it is slower than lock-free in read-only (1 thread)."
        ))
    let alone = ReportRows.trials(of: "mutex", takes: 10)
    #expect(verdicts(alone).answer.subject == "No comparison")
  }

  @Test func `if no comparison is decided, the answer is the default`() {
    let open = rows.filter { $0.configuration.threads == 4 }
    #expect(
      verdicts(open).answer
        == .init(subject: "No difference was decided", rest: "; the default is lock-free."))
    // The one session decides nothing, although its interval excludes 1.
    let session = [10.0, 30].enumerated().flatMap { place, time in
      ReportRows.trials(of: ["mutex", "lock-free"][place], takes: time).map { row in
        var row = row
        row.trial.session = 1
        return row
      }
    }
    let answer = verdicts(session).answer
    #expect(answer.subject == "No difference was decided")
    #expect(answer.rest.hasPrefix("; the default is lock-free. One session was measured: "))
    #expect(verdicts(session).overview.contains(": 0 with a winner, 0 equivalent, 1 undecided."))
    // Two are equivalent, and the default is slower than both.
    let slower =
      ReportRows.trials(of: "mutex", takes: 50) + ReportRows.trials(of: "actor", takes: 50.1)
      + ReportRows.trials(of: "lock-free", takes: 90)
    #expect(
      verdicts(slower).answer
        == .init(
          subject: "No winner was decided",
          rest:
            "; the default is lock-free. But it is slower than mutex in read-only (1 thread)."
        ))
  }

  @Test func `a median of more than twice the best is never marked as similar`() {
    let scattered = [90.0, 40_000, 50].enumerated().map { session, time in
      var row = ReportRows.trials(of: "mutex", takes: time, threads: 1)[session]
      row.throughput.nanosecondsPerOperation = time
      return row
    }
    let wide = [20.0, 45, 4000].enumerated().map { session, time in
      var row = ReportRows.trials(of: "actor", takes: time, threads: 1)[session]
      row.throughput.nanosecondsPerOperation = time
      return row
    }
    let rows = ReportRows.trials(of: "lock-free", takes: 30) + scattered + wide
    let html = ReportPage(ReportRows.report(of: rows)).html
    #expect(html.contains("1 thread: undecided: lock-free, actor; undecided (range): mutex"))
    #expect(html.contains("≈ lock-free<small> +1 ?1</small>"))
    #expect(html.contains("<td class=\"text\">mutex ?~</td>"))
  }

  @Test func `a faster peer is named, but not ranked`() {
    let peer = ReportRows.trials(of: "ns-lock", takes: 5, kind: .peer)
    #expect(
      text(rows + peer).last
        == "Faster than any backend by the median, but not ranked: ns-lock (peer) in read-only (1 thread)."
    )
    #expect(text(rows + peer).dropLast() == text(rows)[...])
  }

  @Test func `a single backend yields no comparison`() {
    let alone = ReportRows.trials(of: "mutex", takes: 30)
    #expect(text(alone).isEmpty)
    #expect(verdicts(alone).overview.hasPrefix("No comparison: "))
  }
}
