import Charts
import Measurements

/// One metric of all workloads and contestants of a collection, at one number of threads each.
struct MetricMatrix {
  let metric: Metric
  let panels: [Panel]
  /// Which number of threads to show of a panel.
  let threads: (Panel) -> Int

  var html: String {
    let keys = panels.flatMap(\.keys).withoutRepetitions
    let titles = keys.map { "<th scope=\"col\">\($0.text.escapedForMarkup)</th>" }
    let rows = panels.map { panel in
      let cells = keys.map { key in
        let spread = panel.series(of: key, threads: threads(panel))?.spread(of: metric)
        return "<td class=\"number\">\(metric.unit.text(spread?.median).escapedForMarkup)</td>"
      }
      return "<tr><th scope=\"row\">\(panel.name.escapedForMarkup)</th>\(cells.joined())</tr>"
    }
    return """
      <div class="scroll"><table class="matrix">
      <caption>\(caption.escapedForMarkup)</caption>
      <thead><tr><th scope="col">workload</th>\(titles.joined())</tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table></div>
      """
  }

  private var caption: String {
    let counts = panels.map(threads).withoutRepetitions
    let text = counts.count == 1 ? Panel.threadsText(counts[0]) : "each one's number of threads"
    return "\(metric.axisTitle.capitalizedFirst), \(text)"
  }
}
