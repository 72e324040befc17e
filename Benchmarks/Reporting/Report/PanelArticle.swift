import Charts
import Measurements

/// One workload of a collection as HTML: throughput and latency, and what they cost.
struct PanelArticle {
  let panel: Panel
  let anchor: String

  var html: String {
    """
    <article id="\(anchor)">
    <h4>\(panel.name.escapedForMarkup)</h4>
    <p class="soft">\(panel.description.escapedForMarkup)</p>
    <div class="charts">
    \(figures.drawings([panel.throughputChart, panel.latencyChart]))
    </div>
    \(figures.folded("Bytes", panel.bytesCharts))
    \(contention)
    \(figures.folded(latencyTitle, panel.otherLatencyCharts))
    </article>
    """
  }

  private var figures: ChartFigures { ChartFigures(anchor: anchor) }

  private var latencyTitle: String {
    let counts = panel.threads.filter { $0 != panel.telling }
    guard let last = counts.last else { return "" }
    let list =
      counts.count == 1
      ? "" : counts.dropLast().map(NumberText.count).joined(separator: ", ") + " and "
    return "Latency at \(list)\(Panel.threadsText(last))"
  }

  private var contention: String {
    """
    <details><summary>Contention and scalability</summary>
    \(ContentionPanel(panel: panel).tables)
    <div class="charts alone">
    \(figures.drawings([panel.scalabilityChart]))
    </div>
    <div class="charts small">
    \(figures.drawings(panel.contentionCharts))
    </div></details>
    """
  }
}
