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
