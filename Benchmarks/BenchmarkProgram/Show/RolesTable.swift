import Charts
import Measurements
import Reporting
import TerminalIO

/// The table of roles in closed loops: medians over the trials of a series.
struct RolesTable {
  private let rows: [Measurement]

  /// Creates the table from the rows of closed loops with roles.
  init(of measurements: [Measurement]) {
    rows = CatalogOrder.sorted(
      measurements.filter { !$0.roles.isEmpty && $0.configuration.pace.mode == .closed })
  }

  /// The table; empty without rows.
  var text: String {
    guard !rows.isEmpty else { return "" }
    let blocks = grouped(rows, by: Block.init).map { block, rows in
      ([block.title] + table(of: rows).lines).joined(separator: "\n")
    }
    return (blocks + [Self.legend]).joined(separator: "\n\n")
  }

  private func table(of rows: [Measurement]) -> TextTable {
    let titles = [
      "WORKERS", "ns/op", "ops/s", "p50 ns", "p99 ns", "p99.9 ns", "jain", "max÷min", "B/op",
    ]
    return TextTable(
      columns: [.init(title: "BACKEND"), .init(title: "ROLE")]
        + titles.map { .init(title: $0, alignment: .right) },
      rows: grouped(rows, by: Series.init).flatMap { series, rows in
        rows[0].roles.map(\.name).enumerated().map { place, name in
          let backend = place == 0 ? series.kind.name(of: series.configuration.backend) : ""
          return [backend, name] + Self.figures(rows.compactMap { $0.role(name) })
        }
      })
  }

  private static func figures(_ roles: [Measurement.Role]) -> [String] {
    func median(_ value: (Measurement.Role) -> Double?) -> Double? {
      Statistics.median(roles.compactMap(value))
    }
    return [
      NumberText.count(roles[0].workers), NumberText.amount(median(\.nanosecondsPerOperation)),
      median(\.operationsPerSecond).map(NumberText.rate) ?? NumberText.missing,
      NumberText.amount(median(\.latency.p50Nanoseconds)),
      NumberText.amount(median(\.latency.p99Nanoseconds)),
      NumberText.amount(median(\.latency.p999Nanoseconds)),
      NumberText.amount(median(\.jainIndex)), NumberText.amount(median(\.maxToMinOperations)),
      NumberText.amount(median(\.allocatedBytesPerOperation)),
    ]
  }

  static let legend =
    "ns/op: as one worker of the role sees it, median; ops/s: all workers of the role; jain: 1 if all "
    + "made the same\nnumber of operations; max÷min: operations of the busiest worker ÷ the idlest; "
    + "B/op: allocated by the role's threads."

  private func grouped<Key: Hashable>(
    _ rows: [Measurement], by key: (Measurement) -> Key
  ) -> [(Key, [Measurement])] {
    let groups = Dictionary(grouping: rows, by: key)
    return rows.map(key).withoutRepetitions.map { ($0, groups[$0, default: []]) }
  }

  /// The common properties of the rows in one block.
  private struct Block: Hashable {
    let title: String

    init(_ row: Measurement) {
      let configuration = row.configuration
      title =
        "\(configuration.collection), roles \(configuration.roles ?? ""), "
        + "\(configuration.entriesText), on \(configuration.driver)"
    }
  }
}

extension Measurement {
  fileprivate func role(_ name: String) -> Role? { roles.first { $0.name == name } }
}
