import TerminalIO
import Charts
import Measurements

/// The universal scalability law of every contestant in some rows, for people: a table for each workload.
package struct ScalabilityTables {
  private let report: BenchmarkReport

  package init(_ report: BenchmarkReport) { self.report = report }

  package var text: String {
    let tables = report.scopes.flatMap { scope in
      scope.panels.map { lines(of: $0, in: scope).joined(separator: "\n") }
    }
    return (tables + [legend]).joined(separator: "\n\n")
  }

  private func lines(of panel: Panel, in scope: ReportScope) -> [String] {
    let threads = panel.threads.map { "\($0)\($0 > panel.cores ? "*" : "")" }
    let place = report.scopes.count > 1 ? "; \(report.heading(of: scope))" : ""
    let title =
      "\(panel.configuration.collection), \(panel.name), "
      + "\(threads.joined(separator: ", ")) threads\(place)"
    let fitted = panel.keys.filter { panel.scalability[$0] != nil }
    let missing = panel.keys.filter { panel.scalability[$0] == nil }
    let table = TextTable(
      columns: [.init(title: "BACKEND")]
        + ScalabilityCells.titles.map { .init(title: $0, alignment: .right) },
      rows: fitted.map { key in
        [key.text] + ScalabilityCells(panel.scalability[key]!, cores: panel.cores).all
      })
    return [title] + (fitted.isEmpty ? [] : table.lines)
      + (missing.isEmpty ? [] : [Self.text(ofMissing: missing, panel)])
  }

  private static func text(ofMissing keys: [LegendKey], _ panel: Panel) -> String {
    let names = keys.map { key in
      let count = panel.series(of: key).count
      return "\(key.text) (\(count))"
    }
    return "Not fitted, with so many numbers of threads: \(names.joined(separator: ", "))."
  }

  private var legend: String {
    """
    X(n) = λ n ÷ (1 + σ (n − 1) + κ n (n − 1)): λ operations in a second of one thread, σ contention, κ \
    coherency.
    σ and κ are at least 0. Fitted to all trials of at least \(ScalabilityFit.threadCountsNeeded) \
    numbers of threads; 95 % intervals by bootstrap, for at least
    three trials of each; of forks where there are \(Bootstrap.valuesNeeded) or more. Peak threads are looked for up to twice as many as were measured, and no \
    farther.
    * more threads than cores: there the law describes how a backend bears it, not how it scales. \
    \(NumberText.missing) not measured.
    """
  }
}
