import Charts
import Measurements

/// One workload in open loops as HTML: service against intended times, and all figures.
struct OpenLoopArticle {
  let panel: OpenLoopPanel
  let anchor: String

  var html: String {
    let figures = ChartFigures(anchor: anchor)
    return """
      <article id="\(anchor)" data-loop="open">
      <h4>\(panel.name.escapedForMarkup)</h4>
      <p class="soft">\(facts.escapedForMarkup)</p>
      <p class="soft">Operations are due at random times, whether or not the ones before are done. Service \
      time is from an operation's start to its end, intended time from when it was due: what somebody would \
      have waited who asked then. Contestants are not ranked here.</p>
      <div class="charts">
      \(figures.drawings(panel.charts(of: panel.telling, .large)))
      </div>
      \(figures.folded("Other loads and numbers of threads", panel.otherCharts))
      <details><summary>Figures of open loops</summary>
      \(table)</details>
      </article>
      """
  }

  private var facts: String {
    panel.configuration.commonFacts.filter { !$0.isEmpty }.joined(separator: " · ")
  }

  private var table: String {
    let names = ["contestant", "threads", "load", "target", "done", "backlog"]
    let titles =
      names
      + Metric.service.map { "service \($0.title)" }
      + Metric.intended.map { "intended \($0.title)" }
    return """
      <div class="scroll"><table class="matrix">
      <thead><tr>\(titles.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
      <tbody>
      \(panel.settings.flatMap(panel.series(in:)).map(row).joined(separator: "\n"))
      </tbody></table></div>
      """
  }

  private func row(_ series: ReportSeries) -> String {
    let pace = series.summary.series.configuration.pace
    let rates = [
      pace.targetOperationsPerSecond, series.summary.medianOperationsPerSecond,
    ].map(FigureUnit.operationsPerSecond.text)
    let backlog = Spread(series.trials.compactMap { $0.openLoop.backlog.map(Double.init) })?.median
    let times = (Metric.service + Metric.intended).map {
      $0.unit.text(series.spread(of: $0)?.median)
    }
    let cells =
      [
        NumberText.count(series.threads),
        pace.loadPercent.map { "\($0) %" } ?? NumberText.missing,
      ] + rates + [FigureUnit.count.text(backlog)] + times
    return "<tr><th scope=\"row\">\(series.key.text.escapedForMarkup)</th>"
      + cells.map { "<td class=\"number\">\($0)</td>" }.joined() + "</tr>"
  }
}
