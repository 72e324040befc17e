import Charts
import Measurements

/// The keys of all contestants in some rows, each with a look of its own.
struct Legend: Sendable {
  /// Backends first, then peers, published designs and baselines, each in the catalogue's order.
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
