import Charts
import Measurements

/// A report as one HTML page that needs nothing else, neither the network nor its own script.
package struct ReportPage: Sendable {
  private let report: BenchmarkReport

  package init(_ report: BenchmarkReport) { self.report = report }

  package var html: String {
    HTMLPage(
      title: title, keys: report.legend.keys,
      body: """
        <header><h1>Weak collections, measured</h1>
        <p class="soft">\(introduction)</p></header>
        <nav class="legend" aria-label="Contestants">\(HTMLPage.legend(of: report.legend.keys))</nav>
        <main>
        \(sections)
        <section><h2>All figures</h2>
        <p class="soft">Medians over the trials of each series; \(NumberText.missing) was not measured. A \
        column's title sorts.</p>
        \(RowsTable(report: report).html)
        </section>
        </main>
        """
    ).html
  }

  private var title: String {
    "weakbench: "
      + report.scopes.map(\.environment.machine).withoutRepetitions.joined(separator: ", ")
  }

  private var introduction: String {
    let several =
      report.scopes.count == 1
      ? ""
      : " The rows come from \(report.scopes.count) machines, builds or commits; they are shown one "
        + "after the other, and never mixed."
    return """
      Lines are medians over the trials, bands reach from the least to the greatest of them. A backend \
      wins (★) if its worst trial beats the best trial of every other backend, with at least three \
      trials of both; else who may be the fastest is undecided (≈). Peers, published designs and \
      baselines are grey and not ranked. Percentiles are of sampled operations in a closed \
      loop, unless an open one is named.\(several)
      """
  }

  private var sections: String {
    report.scopes.enumerated().map { place, scope in
      ScopeSection(report: report, scope: scope, place: place).html
    }.joined(separator: "\n")
  }
}

/// One scope of a report as HTML: facts, verdicts, charts, bytes and contention.
struct ScopeSection {
  let report: BenchmarkReport
  let scope: ReportScope
  /// Its place in the report, which keeps anchors apart.
  let place: Int

  var html: String {
    """
    <section class="scope">
    <h2 class="where">\(report.heading(of: scope).escapedForMarkup)</h2>
    \(facts)
    \(warnings)
    \(scope.collections.map(collection).joined(separator: "\n"))
    </section>
    """
  }

  private var facts: String {
    let dates = [scope.dates.lowerBound, scope.dates.upperBound].withoutRepetitions
    let own = [
      EnvironmentFact(name: "measured", value: dates.joined(separator: " to ")),
      EnvironmentFact(
        name: "rows",
        value:
          "\(NumberText.count(scope.rows)) in \(scope.runs) \(scope.runs == 1 ? "run" : "runs")"),
    ]
    let entries = (EnvironmentFact.all(of: scope.environment) + own).map { fact in
      "<div><dt>\(fact.name)</dt>"
        + "<dd>\((fact.value ?? NumberText.missing).escapedForMarkup)</dd></div>"
    }
    return "<dl class=\"facts\">\(entries.joined())</dl>"
  }

  /// What makes the figures worth less.
  private var warnings: String {
    let environment = scope.environment
    let few = scope.panels.contains { $0.series.contains { $0.summary.trials < 3 } }
    let warnings = [
      environment.buildConfiguration == "release"
        ? nil : "Not built for release: these figures are not for comparing.",
      environment.commit?.hasSuffix("-dirty") == true
        ? "What was built differed from its commit." : nil,
      few ? "Some series have fewer than three trials, and those decide nothing." : nil,
    ].compactMap { $0 }
    return warnings.map { "<p class=\"warning\">\($0)</p>" }.joined(separator: "\n")
  }

  private func collection(_ name: String) -> String {
    """
    <section class="collection">
    <h3>\(name.escapedForMarkup)</h3>
    \(closedLoops(of: scope.panels(of: name)))
    \(openLoops(of: name))
    </section>
    """
  }

  private func openLoops(of collection: String) -> String {
    scope.openLoopPanels.enumerated().filter { $0.element.configuration.collection == collection }
      .map { OpenLoopArticle(panel: $0.element, anchor: "s\(place)o\($0.offset)").html }
      .joined(separator: "\n")
  }

  private func closedLoops(of panels: [Panel]) -> String {
    guard !panels.isEmpty else { return "" }
    let verdicts = VerdictText(of: panels)
    let sentences = verdicts.sentences.map { sentence in
      "<li><strong>\(sentence.subject.escapedForMarkup)</strong>"
        + "\(sentence.rest.escapedForMarkup)</li>"
    }
    return """
      <p>\(verdicts.overview)</p>
      <ul class="verdicts">\(sentences.joined())</ul>
      \(WinnerMatrix(panels: panels, anchor: anchor).html)
      \(panels.map(article).joined(separator: "\n"))
      \(matrices(of: panels))
      """
  }

  private func article(of panel: Panel) -> String {
    PanelArticle(panel: panel, anchor: anchor(of: panel)).html
  }

  private func matrices(of panels: [Panel]) -> String {
    let bytes = Metric.bytes.map {
      MetricMatrix(metric: $0, panels: panels, threads: \.telling).html
    }
    let contention = Metric.contention.filter { metric in
      panels.contains { $0.isMeasured(metric) }
    }.map {
      MetricMatrix(metric: $0, panels: panels, threads: { $0.threads.last ?? 0 }).html
    }
    return """
      <details class="overview"><summary>All workloads: bytes</summary>
      \(bytes.joined(separator: "\n"))</details>
      <details class="overview"><summary>All workloads: contention at the most threads</summary>
      \(contention.joined(separator: "\n"))</details>
      """
  }

  private func anchor(of panel: Panel) -> String {
    let index = scope.panels.firstIndex { $0.configuration == panel.configuration } ?? 0
    return "s\(place)p\(index)"
  }
}

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

/// Charts as figures of an HTML page, named after the article that they are in.
struct ChartFigures {
  let anchor: String

  func drawings(_ charts: [Panel.NamedChart]) -> String {
    charts.map { named in
      "<figure data-chart=\"\(anchor)-\(named.name)\">\n\(ChartDrawing(named.chart).svg)\n</figure>"
    }.joined(separator: "\n")
  }

  /// Shown when they are asked for; nothing if there are none.
  func folded(_ title: String, _ charts: [Panel.NamedChart]) -> String {
    guard !charts.isEmpty else { return "" }
    return """
      <details><summary>\(title)</summary><div class="charts small">
      \(drawings(charts))
      </div></details>
      """
  }
}
