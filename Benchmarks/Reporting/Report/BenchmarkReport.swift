import Charts
import Measurements

/// Rows as people look at them: by where they were measured, then by collection and workload.
package struct BenchmarkReport: Sendable {
  let legend: Legend
  /// In the order in which the rows first name them.
  let scopes: [ReportScope]

  /// `generator` draws the samples of bootstrap intervals.
  ///
  /// - Precondition: there are rows.
  package init(
    of measurements: [Measurement], catalog: ReportCatalog,
    drawingFrom generator: some RandomNumberGenerator
  ) {
    precondition(!measurements.isEmpty, "a report is of at least one row")
    let legend = Legend(of: measurements, catalog: catalog)
    let groups = Dictionary(grouping: measurements, by: \.environment)
    var generator = generator
    self.legend = legend
    scopes = measurements.map(\.environment).withoutRepetitions.map { environment in
      ReportScope(
        of: groups[environment, default: []], legend: legend, catalog: catalog, using: &generator)
    }
  }

  package var chartCount: Int {
    scopes.reduce(0) { $0 + $1.chartedPanels.reduce(0) { $0 + $1.charts.count } }
  }

  /// What tells a scope from the others, or its machine if it is alone.
  func heading(of scope: ReportScope) -> String {
    let own = EnvironmentFact.all(of: scope.environment)
    let telling = own.filter { fact in
      scopes.contains { !EnvironmentFact.all(of: $0.environment).contains(fact) }
    }
    guard !telling.isEmpty else { return scope.environment.machine }
    return telling.map(\.text).joined(separator: ", ")
  }
}
