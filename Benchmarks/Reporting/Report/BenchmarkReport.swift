import Charts
import Measurements

/// A report on measured rows, grouped by environment, then by collection and workload.
package struct BenchmarkReport: Sendable {
  let legend: Legend
  /// The backend to use where no difference was decided.
  let standardBackend: String
  /// The scopes, in the order in which they first appear in the rows.
  let scopes: [ReportScope]

  /// Groups `measurements` for a report; traps if there are none.
  ///
  /// - Parameters:
  ///   - measurements: The rows.
  ///   - catalog: The names and the order of the contestants.
  ///   - generator: The source of the bootstrap's samples.
  package init(
    of measurements: [Measurement], catalog: ReportCatalog,
    drawingFrom generator: some RandomNumberGenerator
  ) {
    guard !measurements.isEmpty else {
      fatalError("there are no rows to report; check for rows first")
    }
    let legend = Legend(of: measurements, catalog: catalog)
    let groups = Dictionary(grouping: measurements, by: \.environment)
    var generator = generator
    self.legend = legend
    standardBackend = catalog.standardBackend
    scopes = measurements.map(\.environment).withoutRepetitions.map { environment in
      ReportScope(
        of: groups[environment, default: []], legend: legend, catalog: catalog, using: &generator)
    }
  }

  package var chartCount: Int {
    scopes.reduce(0) { $0 + $1.chartedPanels.reduce(0) { $0 + $1.charts.count } }
  }

  /// Returns the facts that distinguish `scope` from the others, or its machine if it is the only
  /// one.
  func heading(of scope: ReportScope) -> String {
    let own = EnvironmentFact.all(of: scope.environment)
    let distinguishing = own.filter { fact in
      scopes.contains { !EnvironmentFact.all(of: $0.environment).contains(fact) }
    }
    guard !distinguishing.isEmpty else { return scope.environment.machine }
    return distinguishing.map(\.text).joined(separator: ", ")
  }
}

/// The rows of one environment: one machine, compiler, allocator and commit. No figure mixes rows
/// of several scopes.
struct ReportScope: Sendable {
  let environment: Measurement.Environment
  /// The panels of closed loops.
  let panels: [Panel]
  let openLoopPanels: [OpenLoopPanel]
  let rows: Int
  let runs: Int
  /// The times at which the first and the last trial ended.
  let dates: ClosedRange<String>

  /// Groups rows of one environment; traps if there are none.
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

  /// The panels of closed loops, followed by those of open loops.
  var chartedPanels: [any ChartedPanel] { panels + openLoopPanels }

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

  /// Returns the series of each panel, in the catalog's order.
  private static func grouped(
    _ rows: [Measurement], _ legend: Legend, _ catalog: ReportCatalog
  ) -> [Group] {
    let trials = Dictionary(grouping: rows, by: Series.init)
    let summaries = Summary.summaries(of: rows)
    let series = zip(summaries, Mark.marks(for: summaries)).compactMap { summary, mark in
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
      return (configuration, members, configuration.distinction(among: order))
    }
  }
}

extension ReportSeries {
  /// The configuration without the properties that differ within a panel.
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
      known.firstIndex(of: configuration.workload) ?? .max, configuration.entries,
    ]
  }
}

/// The names that a report knows, in the order in which it shows them. Unknown names come after
/// them.
///
/// The position of a name determines its color, so that a backend has the same color in every
/// report.
package struct ReportCatalog: Sendable {
  package var collections: [String]
  /// The workloads of each collection.
  package var workloads: [String: [String]]
  package var backends: [String]
  /// The backend that a program gets unless it chooses one.
  package var standardBackend: String
  package var peers: [String]
  package var publishedDesigns: [String]
  package var baselines: [String]

  package init(
    collections: [String] = [], workloads: [String: [String]] = [:], backends: [String] = [],
    standardBackend: String, peers: [String] = [], publishedDesigns: [String] = [],
    baselines: [String] = []
  ) {
    self.collections = collections
    self.workloads = workloads
    self.backends = backends
    self.standardBackend = standardBackend
    self.peers = peers
    self.publishedDesigns = publishedDesigns
    self.baselines = baselines
  }

  /// Returns the role of a contestant in the legend.
  func role(of kind: Measurement.Kind, named name: String) -> LegendKey.Role {
    switch kind {
    case .subject: .backend
    case .baseline: .baseline
    case .peer: publishedDesigns.contains(name) ? .publishedDesign : .peer
    }
  }

  func names(of role: LegendKey.Role) -> [String] {
    switch role {
    case .backend: backends
    case .baseline: baselines
    case .peer: peers
    case .publishedDesign: publishedDesigns
    }
  }
}

/// The keys of all contestants in the rows, each with a different look.
struct Legend: Sendable {
  /// Backends first, then peers, published designs and baselines, each in the catalog's order.
  let keys: [LegendKey]

  init(of measurements: [Measurement], catalog: ReportCatalog) {
    let found = measurements.map { row in
      let name = row.configuration.backend
      return (role: catalog.role(of: row.identity.kind, named: name), name: name)
    }
    let roles: [LegendKey.Role] = [.backend, .peer, .publishedDesign, .baseline]
    keys = roles.flatMap { role in
      let present = found.filter { $0.role == role }.map(\.name).withoutRepetitions
      let known = catalog.names(of: role)
      let all = known + present.filter { !known.contains($0) }
      return all.enumerated().compactMap { place, name in
        present.contains(name) ? LegendKey(name: name, role: role, place: place) : nil
      }
    }
  }

  func position(of key: LegendKey) -> Int { keys.firstIndex(of: key) ?? keys.count }

  func key(named name: String, role: LegendKey.Role) -> LegendKey? {
    keys.first { $0.name == name && $0.role == role }
  }
}

/// One property of an environment.
struct EnvironmentFact: Hashable, Sendable {
  let name: String
  /// The value, or `nil` if it is unknown.
  let value: String?

  /// The name and the value.
  var text: String { "\(name) \(value ?? NumberText.missing)" }

  static func all(of environment: Measurement.Environment) -> [EnvironmentFact] {
    let host = environment.hostCores.map { $0 == environment.cores ? "" : " of \($0)" } ?? ""
    let facts: [(String, String?)] = [
      ("machine", environment.machine), ("processor", environment.cpu),
      ("cores", "\(environment.cores)\(host)"), ("system", environment.os),
      ("kernel", environment.kernel), ("compiler", environment.swift),
      ("mutex", environment.mutexFlavor), ("allocator", environment.allocator),
      ("build", environment.buildConfiguration), ("commit", environment.commit),
    ]
    return facts.map(EnvironmentFact.init)
  }
}

extension Measurement.Environment {
  /// The environment in one line, for a separate chart file.
  var summary: String {
    [machine, swift, allocator, commit].compactMap { $0 }.joined(separator: " · ")
  }
}
