import Charts
import Interleaving
import Reporting
import StressTesting
import TerminalIO
import WeakCollections

/// How lines are shared, a row for each trial; everything is counted for one operation.
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
      + "\n\nCounted for one operation. Line transfers are the sum of the three columns after them; "
      + "shared reads\nand writes are of the structure's lines alone."
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
  /// The file of these rows.
  static func csv(_ rows: [ScalingRow]) -> String {
    csvHeader + rows.map(\.csvLine).joined()
  }
}

/// Line transfers for each operation against cores, as a self-contained SVG: a row of charts for each
/// collection and backend, a chart for each workload, a line for each kind of memory.
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
    ChartSheet(title: "Lines that go from core to core, for each operation", rows: charts).svg
  }

  /// - Precondition: rows are of one workload, by growing numbers of cores, and there is one.
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
