import Foundation
import Measurements
import Testing

@testable import Charts
@testable import Reporting

@Suite struct OpenLoopReportTests {
  /// Three trials of each of two backends, at two loads of what each can do.
  private static let rows = ["mutex", "lock-free"].flatMap { backend in
    [50, 90].flatMap { load in
      ReportRows.trials(of: backend, takes: 100, threads: 2).map { row in
        var row = row
        row.identity.row += "-\(load)"
        row.configuration.pace = Measurements.Measurement.Pace(
          mode: .open, targetOperationsPerSecond: Double(load) * (backend == "mutex" ? 1e4 : 3e4),
          loadPercent: load)
        row.openLoop = Measurements.Measurement.OpenLoop(
          service: .init(p50Nanoseconds: 100, p99Nanoseconds: 1000, maxNanoseconds: 6e6),
          intended: .init(p50Nanoseconds: 150, p99Nanoseconds: 5e6, maxNanoseconds: 7e6),
          backlog: 0)
        return row
      }
    }
  }

  private let report = ReportRows.report(of: rows)

  @Test func `service and intended times of each setting are two charts on one axis`() throws {
    let panel = try #require(report.scopes[0].openLoopPanels.first)
    #expect(report.scopes[0].openLoopPanels.count == 1)
    #expect(panel.name == "read-only, open loop")
    let names = panel.charts.map { $0.name }
    #expect(
      names == [
        "service-2-threads-90-percent", "intended-2-threads-90-percent",
        "service-2-threads-50-percent", "intended-2-threads-50-percent",
      ])
    let (service, intended) = (panel.charts[0].chart, panel.charts[1].chart)
    #expect(service.y == intended.y)
    #expect(service.x.ticks.map(\.text) == ["p50", "p90", "p99", "p99.9", "p99.99", "max"])
    #expect(service.lines.map(\.key.name) == ["mutex", "lock-free"])
    #expect(service.lines[0].points.map(\.y) == [100, 1000, 6e6])
    #expect(intended.lines[0].points.map(\.y) == [150, 5e6, 7e6])
    #expect(intended.lines[0].points.map(\.x) == [0, 2, 5])
    #expect(intended.title == "Intended time, 2 threads, 90 % of capacity")
  }

  @Test func `a page of open loops alone has no verdict, and one of both has both`() {
    let alone = ReportPage(report).html
    #expect(alone.components(separatedBy: "data-loop=\"open\"").count == 2)
    #expect(!alone.contains("No comparison: "))
    #expect(alone.contains("5.00 ms"))
    let both = ReportRows.report(of: Self.rows + ReportRows.many)
    #expect(both.scopes[0].panels.count == 3)
    #expect(both.scopes[0].openLoopPanels.count == 1)
    #expect(both.chartCount == ReportRows.report(of: ReportRows.many).chartCount + 4)
    #expect(Set(both.chartFiles.map(\.name)).count == both.chartCount)
  }

  @Test func `in an open loop no backend is marked, whatever time there is between operations`() {
    var rows = Self.rows
    for index in rows.indices where rows[index].configuration.backend == "mutex" {
      rows[index].throughput.nanosecondsPerOperation = 1
    }
    #expect(Mark.marks(for: Summary.summaries(of: rows)).allSatisfy { $0 == .none })
  }

  @Test func `a rate that was given is one setting for all`() {
    let rows = Self.rows.map { row in
      var row = row
      row.configuration.pace = .init(mode: .open, targetOperationsPerSecond: 20_000)
      return row
    }
    let panel = ReportRows.report(of: rows).scopes[0].openLoopPanels[0]
    #expect(panel.settings.map(\.text) == ["2 threads, 20.0k operations/s"])
    #expect(panel.charts.map { $0.name }[0] == "service-2-threads-20000-per-second")
  }
}
