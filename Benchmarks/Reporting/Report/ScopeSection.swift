import Charts
import Measurements

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
