import Charts
import Measurements

/// A chart as a file that a README may show.
package struct ChartFile: Sendable {
  package let name: String
  package let svg: String
}

extension BenchmarkReport {
  /// All charts, each under a name of its own, of lower-case letters, digits and hyphens.
  package var chartFiles: [ChartFile] {
    var taken: Set<String> = []
    return scopes.flatMap { scope in
      scope.chartedPanels.flatMap { panel in
        panel.charts.map { named in
          file(of: named, panel, scope, taken: &taken)
        }
      }
    }
  }

  private func file(
    of named: Panel.NamedChart, _ panel: any ChartedPanel, _ scope: ReportScope,
    taken: inout Set<String>
  ) -> ChartFile {
    let place = scopes.count > 1 ? heading(of: scope) : ""
    let collection = panel.configuration.collection
    let sheet = ChartSheet(
      title: "\(collection), \(panel.name)",
      subtitle: scopes.count > 1 ? place : scope.environment.summary, rows: [[named.chart]])
    let words = [place, collection, panel.name, named.name].map(\.asFileName)
    let stem = words.filter { !$0.isEmpty }.joined(separator: "-")
    let name = (1...).lazy.map { $0 == 1 ? stem : "\(stem)-\($0)" }.first { !taken.contains($0) }!
    taken.insert(name)
    return ChartFile(name: "\(name).svg", svg: sheet.svg)
  }
}

extension String {
  /// Names come from files that anybody may have written: no slash, no dot, not endless.
  fileprivate var asFileName: String {
    let letters = lowercased().unicodeScalars.map { scalar in
      ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "-"
    }
    return String(String(letters).split(separator: "-").joined(separator: "-").prefix(60))
  }
}
