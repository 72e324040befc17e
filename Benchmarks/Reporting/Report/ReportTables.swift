import Charts
import Measurements

/// Who wins each workload of a collection at each number of threads, as an HTML table.
struct WinnerMatrix {
  let panels: [Panel]
  /// The page's anchor for a panel.
  let anchor: (Panel) -> String

  var html: String {
    let threads = panels.flatMap(\.threads).withoutRepetitions.sorted()
    let cores = panels[0].cores
    let titles = threads.map { count in
      "<th scope=\"col\"\(count > cores ? " class=\"beyond\"" : "")>"
        + "\(Panel.threadsText(count))</th>"
    }
    let rows = panels.map { panel in
      let cells = threads.map { cell(Standing(of: panel, threads: $0), isBeyond: $0 > cores) }
      return "<tr><th scope=\"row\"><a href=\"#\(anchor(panel))\">"
        + "\(panel.name.escapedForMarkup)</a></th>\(cells.joined())</tr>"
    }
    return """
      <div class="scroll"><table class="matrix">
      <thead><tr><th scope="col">workload</th>\(titles.joined())</tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table></div>
      """
  }

  private func cell(_ standing: Standing, isBeyond: Bool) -> String {
    let beyond = isBeyond ? " beyond" : ""
    return switch standing.outcome {
    case .won(let key, let ratio):
      "<td class=\"won \(key.className)\(beyond)\">\(key.name.escapedForMarkup) "
        + "<small>\(NumberText.amount(ratio))×</small></td>"
    case .undecided(let keys):
      "<td class=\"open\(beyond)\">≈ "
        + "\(keys.map(\.name).joined(separator: ", ").escapedForMarkup)</td>"
    case .noContest:
      "<td class=\"open\(beyond)\">\(NumberText.missing)</td>"
    }
  }
}

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
