import Charts
import Measurements

/// What was measured on one machine, with one compiler, allocator and commit: never mixed with others.
struct ReportScope: Sendable {
  let environment: Measurement.Environment
  /// Of closed loops.
  let panels: [Panel]
  let openLoopPanels: [OpenLoopPanel]
  let rows: Int
  let runs: Int
  /// When the first and the last trial ended.
  let dates: ClosedRange<String>

  /// - Precondition: there are rows, and all have the environment.
  init(
    of rows: [Measurement], legend: Legend, catalog: ReportCatalog,
    using generator: inout some RandomNumberGenerator
  ) {
    environment = rows[0].environment
    self.rows = rows.count
    runs = Set(rows.map(\.identity.run)).count
    let times = rows.map(\.identity.timestamp).sorted()
    dates = times[0]...times[times.count - 1]
    let byMode = Dictionary(grouping: rows, by: \.configuration.pace.mode)
    panels = Self.panels(
      of: byMode[.closed, default: []], legend: legend, catalog: catalog, using: &generator)
    openLoopPanels = Self.openLoopPanels(
      of: byMode[.open, default: []], legend: legend, catalog: catalog)
  }

  var collections: [String] {
    (panels.map(\.configuration) + openLoopPanels.map(\.configuration)).map(\.collection)
      .withoutRepetitions
  }

  /// Of closed loops, then of open ones.
  var chartedPanels: [any ChartedPanel] { panels + openLoopPanels }

  func panels(of collection: String) -> [Panel] {
    panels.filter { $0.configuration.collection == collection }
  }

  private static func panels(
    of rows: [Measurement], legend: Legend, catalog: ReportCatalog,
    using generator: inout some RandomNumberGenerator
  ) -> [Panel] {
    grouped(rows, legend, catalog).map { group in
      Panel(
        configuration: group.configuration, series: group.series,
        cores: rows[0].environment.cores, distinction: group.distinction,
        scalability: Panel.scalability(of: group.series, using: &generator))
    }
  }

  private static func openLoopPanels(
    of rows: [Measurement], legend: Legend, catalog: ReportCatalog
  ) -> [OpenLoopPanel] {
    grouped(rows, legend, catalog).map { group in
      OpenLoopPanel(
        configuration: group.configuration, series: group.series,
        cores: rows[0].environment.cores, distinction: group.distinction)
    }
  }

  private typealias Group = (
    configuration: Measurement.Configuration, series: [ReportSeries], distinction: String
  )

  /// What is compared in one panel, in the catalogue's order.
  private static func grouped(
    _ rows: [Measurement], _ legend: Legend, _ catalog: ReportCatalog
  ) -> [Group] {
    let trials = Dictionary(grouping: rows, by: Series.init)
    let summaries = Summary.summaries(of: rows)
    let series = zip(summaries, Ranking.marks(for: summaries)).compactMap { summary, mark in
      let name = summary.series.configuration.backend
      return legend.key(named: name, role: catalog.role(of: summary.series.kind, named: name)).map {
        ReportSeries(
          key: $0, summary: summary, mark: mark, trials: trials[summary.series, default: []])
      }
    }
    let groups = Dictionary(grouping: series, by: \.panelConfiguration)
    let order = series.map(\.panelConfiguration).withoutRepetitions.sorted {
      catalog.place(of: $0).lexicographicallyPrecedes(catalog.place(of: $1))
    }
    return order.map { configuration in
      let members = groups[configuration, default: []].sorted {
        (legend.position(of: $0.key), $0.threads) < (legend.position(of: $1.key), $1.threads)
      }
      return (configuration, members, Panel.distinction(of: configuration, among: order))
    }
  }
}

extension ReportSeries {
  /// The same for all that are compared in one panel.
  fileprivate var panelConfiguration: Measurement.Configuration {
    var configuration = summary.series.configuration
    configuration.backend = ""
    configuration.threads = 0
    configuration.pace = Measurement.Pace(mode: configuration.pace.mode)
    return configuration
  }
}

extension ReportCatalog {
  fileprivate func place(of configuration: Measurement.Configuration) -> [Int] {
    let known = workloads[configuration.collection, default: []]
    return [
      collections.firstIndex(of: configuration.collection) ?? .max,
      known.firstIndex(of: configuration.workload) ?? .max, configuration.size,
    ]
  }
}
