import Charts
import Measurements

/// The names that a report may meet, in the order in which it shows them. Others come after them.
///
/// A name's place is its colour's, so that a backend has the same in every report.
package struct ReportCatalog: Sendable {
  package var collections: [String]
  /// By collection.
  package var workloads: [String: [String]]
  package var backends: [String]
  package var peers: [String]
  package var publishedDesigns: [String]
  package var baselines: [String]

  package init(
    collections: [String] = [], workloads: [String: [String]] = [:], backends: [String] = [],
    peers: [String] = [], publishedDesigns: [String] = [], baselines: [String] = []
  ) {
    self.collections = collections
    self.workloads = workloads
    self.backends = backends
    self.peers = peers
    self.publishedDesigns = publishedDesigns
    self.baselines = baselines
  }

  /// What a row's contestant is.
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
