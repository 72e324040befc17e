import Charts
import Measurements
import Reporting
import TerminalIO

/// What each role did, for people: medians over the trials of a series.
struct RolesTable {
  private let rows: [Measurement]

  /// Of the rows of closed loops whose workers have roles.
  init(of measurements: [Measurement]) {
    rows = CatalogOrder.sorted(
      measurements.filter { !$0.roles.isEmpty && $0.configuration.pace.mode == .closed })
  }

  /// Empty if there is nothing to show.
  var text: String {
    guard !rows.isEmpty else { return "" }
    let blocks = grouped(rows, by: Contest.init).map { contest, rows in
      ([contest.title] + table(of: rows).lines).joined(separator: "\n")
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
          let backend = place == 0 ? SummaryLine.name(of: series) : ""
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
    "ns/op: what one worker of the role sees, median; ops/s: all of the role together; jain: 1 if its "
    + "workers did the same;\nmax÷min: the busiest worker's operations against the idlest's; B/op: allocated by the role's "
    + "threads."

  private func grouped<Key: Hashable>(
    _ rows: [Measurement], by key: (Measurement) -> Key
  ) -> [(Key, [Measurement])] {
    let groups = Dictionary(grouping: rows, by: key)
    return rows.map(key).withoutRepetitions.map { ($0, groups[$0, default: []]) }
  }

  /// What is held against each other in one block.
  private struct Contest: Hashable {
    let title: String

    init(_ row: Measurement) {
      let configuration = row.configuration
      title =
        "\(configuration.collection), roles \(configuration.roles ?? ""), "
        + "size \(NumberText.count(configuration.size)), on \(configuration.driver)"
    }
  }
}

extension Measurement {
  fileprivate func role(_ name: String) -> Role? { roles.first { $0.name == name } }
}
