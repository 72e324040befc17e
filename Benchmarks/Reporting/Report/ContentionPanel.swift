import Charts
import Measurements

/// How much the threads of one workload were in each other's way, as HTML: every figure of every
/// contestant at the most threads, the law of scalability, and charts of what was measured.
struct ContentionPanel {
  let panel: Panel

  /// What the host or the contestant has none of.
  static let missing = "n/a"

  var tables: String {
    """
    <div data-panel="contention">
    \(table("Contention at \(Panel.threadsText(threads))", titles: panel.keys.map(\.text), figures))
    \(scalability)
    </div>
    """
  }

  private var threads: Int { panel.threads.last ?? 0 }

  private var figures: [(title: String, cells: [String])] {
    Metric.contention.map { metric in
      let cells = panel.keys.map { key in
        panel.series(of: key, threads: threads)?.spread(of: metric).map {
          metric.unit.text($0.median)
        }
      }
      return (metric.axisTitle.capitalizedFirst, cells.map { $0 ?? Self.missing })
    }
  }

  private var scalability: String {
    let fitted = panel.keys.filter { panel.scalability[$0] != nil }
    guard !fitted.isEmpty else {
      let needed = ScalabilityFit.threadCountsNeeded
      return "<p class=\"soft\">Scalability: \(Self.missing); the law needs \(needed) numbers of "
        + "threads, and \(panel.threads.count) were measured at the most.</p>"
    }
    let rows = fitted.map { key in
      (
        title: key.text,
        cells: ScalabilityCells(panel.scalability[key]!, cores: panel.cores).all.map {
          $0 == NumberText.missing ? Self.missing : $0
        }
      )
    }
    let threads = panel.threads.map { "\($0)\($0 > panel.cores ? " *" : "")" }
    return table(
      "Universal scalability law, over \(threads.joined(separator: ", ")) threads "
        + "(* more than cores)",
      titles: ScalabilityCells.titles, rows)
  }

  private func table(
    _ caption: String, titles: [String], _ rows: [(title: String, cells: [String])]
  ) -> String {
    let heads = titles.map { "<th scope=\"col\" class=\"number\">\($0.escapedForMarkup)</th>" }
    let lines = rows.map { row in
      let cells = row.cells.map { "<td class=\"number\">\($0.escapedForMarkup)</td>" }
      return "<tr><th scope=\"row\">\(row.title.escapedForMarkup)</th>\(cells.joined())</tr>"
    }
    return """
      <div class="scroll"><table class="matrix">
      <caption>\(caption.escapedForMarkup)</caption>
      <thead><tr><th></th>\(heads.joined())</tr></thead>
      <tbody>
      \(lines.joined(separator: "\n"))
      </tbody></table></div>
      """
  }
}
