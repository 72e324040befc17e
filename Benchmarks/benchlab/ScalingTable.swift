import TerminalIO
import Charts
import Interleaving
import Reporting
import StressTesting
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
