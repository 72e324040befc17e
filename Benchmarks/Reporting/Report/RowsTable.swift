import Charts
import Measurements

/// Every series with every figure, which a click on a column's title sorts.
struct RowsTable {
  let report: BenchmarkReport

  private static let figures =
    [Metric.time, .throughput] + Metric.percentiles + Metric.bytes + [.peakBytes]
    + Metric.contention

  var html: String {
    let names = ["collection", "workload", "contestant"] + (showsScopes ? ["where"] : [])
    let numbers =
      ["threads", "trials"] + Self.figures.map(\.axisTitle) + ["least time", "greatest"]
    let titles =
      names.map { "<th scope=\"col\">\($0)</th>" }
      + numbers.map { "<th scope=\"col\" class=\"number\">\($0.escapedForMarkup)</th>" }
    let rows = report.scopes.flatMap { scope in
      scope.panels.flatMap { panel in panel.series.map { row($0, panel, scope) } }
    }
    return """
      <div class="scroll tall"><table id="rows">
      <thead><tr>\(titles.joined())</tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table></div>
      """
  }

  private var showsScopes: Bool { report.scopes.count > 1 }

  private func row(_ series: ReportSeries, _ panel: Panel, _ scope: ReportScope) -> String {
    let mark = series.mark.symbol.isEmpty ? "" : " \(series.mark.symbol)"
    let names =
      [panel.configuration.collection, panel.name, series.key.text + mark]
      + (showsScopes ? [report.heading(of: scope)] : [])
    let summary = series.summary
    let figures = Self.figures.map { cell(series.spread(of: $0)?.median, $0.unit) }
    let cells =
      names.map { "<td>\($0.escapedForMarkup)</td>" }
      + [HTMLPage.cell(series.threads), HTMLPage.cell(summary.trials)] + figures
      + [summary.minNanosecondsPerOperation, summary.maxNanosecondsPerOperation].map {
        cell($0, .nanoseconds)
      }
    return "<tr class=\"\(series.key.className)\">\(cells.joined())</tr>"
  }

  /// With the number to sort by; what was not measured has none.
  private func cell(_ value: Double?, _ unit: FigureUnit) -> String {
    let number = value.map { " data-value=\"\($0)\"" } ?? ""
    return "<td class=\"number\"\(number)>\(unit.text(value))</td>"
  }
}
