import Charts
import Interleaving
import Reporting
import StressTesting
import TerminalIO
import WeakCollections

/// The table of line transfers and shared accesses per operation, one row per trial.
struct ScalingTable {
  var rows: [ScalingRow]

  private static let columns =
    ["collection", "backend", "workload"].map { TextTable.Column(title: $0) }
    + [
      "cores", "line transfers", "structure", "epochs", "participants", "shared reads",
      "shared writes", "promotions",
    ].map { TextTable.Column(title: $0, alignment: .right) }

  var text: String {
    let table = TextTable(columns: Self.columns, rows: rows.map(cells))
    return table.lines.joined(separator: "\n")
      + "\n\nCounts per operation. Line transfers are the sum of the next three columns; shared reads "
      + "and writes\nare those of the structure's lines only."
  }

  private func cells(of row: ScalingRow) -> [String] {
    let counts = [
      row.structure.transfers, row.epochs.transfers, row.participants.transfers,
      row.structure.reads, row.structure.writes, row.promotions,
    ].map(row.perOperation)
    return [row.collection.rawValue, row.backend.rawValue, row.workload.rawValue, "\(row.cores)"]
      + ([row.transfersPerOperation] + counts).map { $0 == 0 ? "0" : NumberText.amount($0) }
  }
}

extension ScalingRow {
  /// Returns the rows as a CSV file.
  static func csv(_ rows: [ScalingRow]) -> String {
    csvHeader + rows.map(\.csvLine).joined()
  }
}

/// Line transfers per operation over the number of cores, as a self-contained SVG: one row of
/// charts per collection and backend, one chart per workload, one line per kind of memory.
struct ScalingChart {
  private let charts: [[Chart]]

  init(rows: [ScalingRow]) {
    struct Subject: Hashable { var collection: CollectionKind, backend: Backend }
    let subjects = rows.map { Subject(collection: $0.collection, backend: $0.backend) }
    charts = subjects.withoutRepetitions.map { subject in
      let rows = rows.filter {
        $0.collection == subject.collection && $0.backend == subject.backend
      }
      return rows.map(\.workload).withoutRepetitions.map { workload in
        Self.chart(
          title:
            "\(subject.collection.rawValue), \(subject.backend.rawValue): \(workload.rawValue)",
          rows: rows.filter { $0.workload == workload }.sorted { $0.cores < $1.cores })
      }
    }
  }

  var svg: String {
    ChartSheet(title: "Cache lines that move between cores, per operation", rows: charts).svg
  }

  /// Returns the chart of one workload.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - rows: At least one row of the workload, in order of the number of cores.
  private static func chart(title: String, rows: [ScalingRow]) -> Chart {
    let isAllZero = rows.allSatisfy { $0.transfersPerOperation == 0 }
    let lines = MemoryKind.allCases.enumerated().map { place, kind in
      ChartLine(
        key: LegendKey(name: kind.rawValue, role: .backend, place: place),
        points: isAllZero ? [] : rows.map { point(of: kind, in: $0) })
    }
    return Chart(
      title: title, size: .small, x: .doublings(title: "cores", counts: rows.map(\.cores)),
      y: Chart.Axis(
        title: "lines per operation", unit: .count, values: lines.flatMap { $0.points.map(\.y) }),
      lines: lines, emptyText: "none, however many cores")
  }

  private static func point(of kind: MemoryKind, in row: ScalingRow) -> ChartLine.Point {
    let count =
      switch kind {
      case .structure: row.structure.transfers
      case .epochs: row.epochs.transfers
      case .participants: row.participants.transfers
      }
    let transfers = row.perOperation(count)
    let note = "\(kind.rawValue), \(row.cores) cores: \(FigureUnit.count.text(transfers))"
    return ChartLine.Point(x: Double(row.cores), y: transfers, note: note)
  }
}
