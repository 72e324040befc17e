import Charts
import Measurements

/// A report as one self-contained HTML page: the answers first, the charts on demand.
///
/// It needs no network. The answers and all figures are readable without its script, which draws
/// the charts of a workload when a reader opens them.
package struct ReportPage: Sendable {
  private let report: BenchmarkReport

  package init(_ report: BenchmarkReport) { self.report = report }

  package var html: String {
    let machines = report.scopes.map(\.environment.machine).withoutRepetitions
    let sections = report.scopes.enumerated().map { place, scope in
      ScopeSection(
        scope: scope, heading: report.heading(of: scope), standard: report.standardBackend,
        place: place, isOnly: report.scopes.count == 1)
    }
    return HTMLPage(
      title: "weakbench: \(machines.joined(separator: ", "))", keys: report.legend.keys,
      body: [
        Markup(
          "header",
          lines: [Markup("h1", "Weak collections, measured")] + sections.map(\.answers) + [
            Panel.winnerTableKey(of: report.scopes.flatMap(\.panels)),
            HTMLPage.folded("How to read this page", [Markup("p", Markup(text: introduction))]),
          ]),
        HTMLPage.legend(of: report.legend.keys, label: "Backends"),
        Markup("main", lines: sections.map(\.charts) + [figures]),
      ].lines
    ).html
  }

  private var figures: Markup {
    Markup(
      "section",
      lines: [
        Markup("h2", "All figures"),
        Markup(
          "p", ["class": "soft"],
          """
          Medians over the trials of each series. \(NumberText.missing): not measured. ★ or ☆: wins. \
          ≈: may be the fastest. ?: undecided (range). ~: its trials differ by more than a factor of \
          two. Click a column's title to sort by it.
          """),
        report.table,
      ])
  }

  /// The clause on the cost of reading the clock, which every latency includes; empty if the cost
  /// is unknown.
  private var clock: String {
    let costs = report.scopes.flatMap(\.panels).flatMap(\.series).flatMap(\.trials)
      .compactMap(\.latency.clockNanoseconds)
    return Statistics.median(costs).map {
      " and include the reading of the clock, \(NumberText.amount($0)) ns"
    } ?? ""
  }

  private var introduction: String {
    let several =
      report.scopes.count == 1
      ? ""
      : " The rows come from \(report.scopes.count) machines, builds or commits, which are shown one "
        + "after the other and never mixed."
    return """
      Lines are medians over the trials; bands are the range of the trials. A backend wins if a 95 % \
      confidence interval shows that every other one is slower: an interval over sessions (★), or \
      over the trials of the only session (☆), which decides nothing for another one. If none wins, \
      ≈ marks those that may be the fastest, and ? those that are undecided although their median is \
      more than twice the best. \
      Verdicts are not corrected for their number. Peers, published designs and baselines are gray \
      and not ranked. Percentiles are of sampled operations in a closed loop\(clock), unless an open \
      loop is named.\(several)
      """
  }
}

/// One scope of a report: its answers, and an article for each workload.
private struct ScopeSection {
  let scope: ReportScope
  let heading: String
  /// The backend to use where no difference was decided.
  let standard: String
  /// The position in the report. It is a part of every anchor, so that anchors are unique.
  let place: Int
  /// Whether the report has no other scope.
  let isOnly: Bool

  /// The answers, which a reader sees first: warnings; for each collection, the backend to use and
  /// a table of all verdicts; and the machine.
  var answers: Markup {
    let collections = scope.collections.filter { !panels(of: $0).isEmpty }
    return Markup(
      "section", ["class": "scope"],
      lines: [Markup("h2", ["class": "where"], Markup(text: "\(heading): \(origin)"))] + warnings
        + [
          Markup("div", ["class": "answers"], lines: collections.map(answer)),
          HTMLPage.folded("Machine and build", [facts]),
        ])
  }

  private func answer(_ collection: String) -> Markup {
    let panels = panels(of: collection)
    let answer = VerdictText(of: panels, standard: standard).answer
    return Markup(
      "div",
      lines: [
        Markup("h3", Markup(text: collection)),
        Markup(
          "p", Markup("strong", Markup(text: answer.subject)), Markup(text: answer.rest)),
        Panel.winnerTable(of: panels, anchor: anchor),
      ])
  }

  /// The cores, the compiler, the commit and the number of sessions.
  private var origin: String {
    let environment = scope.environment
    let sessions = scope.panels.flatMap { $0.series.map(\.summary.sessions) }.max() ?? 0
    return [
      NumberText.count(environment.cores, "core"), environment.swift,
      environment.commit, NumberText.count(sessions, "session"),
      scope.dates.lowerBound,
    ].compactMap(\.self).joined(separator: ", ")
  }

  private func panels(of collection: String) -> [Panel] {
    scope.panels.filter { $0.configuration.collection == collection }
  }

  /// For each collection, the verdicts in words, and the charts and figures of each workload.
  var charts: Markup {
    Markup(
      "section", ["class": "scope"],
      lines: [Markup("h2", ["class": "where"], Markup(text: isOnly ? "Charts" : heading))]
        + scope.collections.map(collection))
  }

  private var facts: Markup {
    let dates = [scope.dates.lowerBound, scope.dates.upperBound].withoutRepetitions
    let own = [
      EnvironmentFact(name: "measured", value: dates.joined(separator: " to ")),
      EnvironmentFact(
        name: "rows",
        value:
          "\(NumberText.count(scope.rows)) in \(NumberText.count(scope.runs, "run"))"),
    ]
    let entries = (EnvironmentFact.all(of: scope.environment) + own).map { fact in
      Markup(
        "div", Markup("dt", Markup(text: fact.name)),
        Markup("dd", Markup(text: fact.value ?? NumberText.missing)))
    }
    return Markup("dl", ["class": "facts"], entries.joined())
  }

  /// The reasons to distrust the figures.
  private var warnings: [Markup] {
    let environment = scope.environment
    let sessions = scope.panels.flatMap { $0.series.map(\.summary.sessions) }
    let warnings = [
      environment.buildConfiguration == "release"
        ? nil : "This was not a release build: do not compare these figures.",
      environment.commit?.hasSuffix("-dirty") == true
        ? "The source had changes that are not in the commit." : nil,
      Self.warning(ofSessions: sessions),
    ]
    return warnings.compactMap { $0 }.map { Markup("p", ["class": "warning"], Markup(text: $0)) }
  }

  /// Returns the warning that series have only one session, or `nil` if every series has more.
  private static func warning(ofSessions sessions: [Int]) -> String? {
    guard let least = sessions.min(), least == 1 else { return nil }
    return
      "\(sessions.max() == 1 ? "One session" : "Some series have one session"): verdicts on it "
      + "are indicative, because two sessions of the same build differ more than their trials."
  }

  private func collection(_ name: String) -> Markup {
    let openLoops = scope.openLoopPanels.enumerated()
      .filter { $0.element.configuration.collection == name }
      .map { PanelArticle(anchor: "s\(place)o\($0.offset)").markup(of: $0.element) }
    return Markup(
      "section", ["class": "collection"],
      lines: [Markup("h3", Markup(text: name))]
        + closedLoops(of: panels(of: name))
        + openLoops)
  }

  private func closedLoops(of panels: [Panel]) -> [Markup] {
    guard !panels.isEmpty else { return [] }
    let verdicts = VerdictText(of: panels, standard: standard)
    let sentences = verdicts.sentences.map { sentence in
      Markup("li", Markup("strong", Markup(text: sentence.subject)), Markup(text: sentence.rest))
    }
    let contention = Metric.contention.filter { metric in
      panels.contains { $0.isMeasured(metric) }
    }
    return [
      Markup("p", Markup(text: verdicts.overview)),
      Markup("ul", ["class": "verdicts"], sentences.joined()),
    ] + panels.map { PanelArticle(anchor: anchor(of: $0)).markup(of: $0) } + [
      Self.overview(
        "bytes", Metric.bytes.map { Panel.table(of: $0, panels: panels, threads: \.mainThreads) }),
      Self.overview(
        "contention at the most threads",
        contention.map { Panel.table(of: $0, panels: panels, threads: { $0.threads.last ?? 0 }) }),
    ]
  }

  private static func overview(_ title: String, _ tables: [Markup]) -> Markup {
    HTMLPage.folded("All workloads: \(title)", tables)
  }

  private func anchor(of panel: Panel) -> String {
    let index = scope.panels.firstIndex { $0.configuration == panel.configuration } ?? 0
    return "s\(place)p\(index)"
  }
}

/// One workload of a collection: its charts and figures.
private struct PanelArticle {
  let anchor: String

  /// Returns an article with throughput, latency, bytes and contention.
  func markup(of panel: Panel) -> Markup {
    article(
      named: panel.name, about: [panel.configuration.description],
      lines: [
        charts([panel.throughputChart, panel.latencyChart], class: "charts"),
        folded("Bytes", panel.bytesCharts),
        HTMLPage.folded(
          "Contention and scalability",
          [
            panel.contentionTables, charts([panel.scalabilityChart], class: "charts alone"),
            charts(panel.contentionCharts, class: "charts small"),
          ]),
        folded(Self.latencyTitle(of: panel), panel.otherLatencyCharts),
      ])
  }

  /// Returns an article whose charts are drawn when a reader opens them.
  private func article(
    named name: String, about facts: [String], lines: [Markup], isOpenLoop: Bool = false
  ) -> Markup {
    Markup(
      "article", ["id": anchor, "data-loop": isOpenLoop ? "open" : nil],
      lines: [Markup("h4", Markup(text: name))]
        + facts.map { Markup("p", ["class": "soft"], Markup(text: $0)) }
        + [HTMLPage.drawnOnDemand("Charts", lines)])
  }

  /// Returns an article with service times, intended times and all figures.
  func markup(of panel: OpenLoopPanel) -> Markup {
    article(
      named: panel.name,
      about: [
        panel.configuration.description,
        """
        Operations are due at random times, whether or not the previous ones are done. Service \
        time is from an operation's start to its end. Intended time is from when it was due to its \
        end, the latency that a user sees. Backends are not ranked here.
        """,
      ],
      lines: [
        charts(panel.charts(of: panel.mainSetting, .large), class: "charts"),
        folded("Other loads and numbers of threads", panel.otherCharts),
        HTMLPage.folded("Figures of open loops", [panel.table]),
      ], isOpenLoop: true)
  }

  private func charts(_ charts: [Panel.NamedChart], class name: String) -> Markup {
    Markup(
      "div", ["class": name],
      lines: charts.map { HTMLPage.figure("\(anchor)-\($0.name)", $0.chart) })
  }

  /// Returns a folded section of charts; empty if there are none.
  private func folded(_ title: String, _ charts: [Panel.NamedChart]) -> Markup {
    guard !charts.isEmpty else { return .empty }
    return HTMLPage.folded(title, [self.charts(charts, class: "charts small")])
  }

  private static func latencyTitle(of panel: Panel) -> String {
    let counts = panel.threads.filter { $0 != panel.mainThreads }
    guard let last = counts.last else { return "" }
    let list =
      counts.count == 1
      ? "" : counts.dropLast().map(NumberText.count).joined(separator: ", ") + " and "
    return "Latency at \(list)\(NumberText.count(last, "thread"))"
  }
}
