import Foundation
import Testing

@testable import Measurements

/// The text of `docs/csv.md`, from the documentation of the columns.
private enum ColumnsPage {
  static var text: String {
    """
    # Columns of the result files

    The test `ColumnsPageTests` generates this page from the columns in
    `Benchmarks/Measurements/CSV`, and fails if they differ. To write it again:
    `WRITE_DOCS=1 swift test --filter ColumnsPageTests`.

    The files are CSV by RFC 4180 in UTF-8, with a header and LF between lines. Readers find columns by
    name. A later version adds columns at the end, so that an older file may lack those that can be
    empty. An empty field was not measured or is not known; it never means 0. Nothing is rounded, and
    no text looks like a number. [results/README.md](../results/README.md) describes a trial, its
    byte phase, roles and open loops.

    ## Trials

    `weakbench run --csv rows.csv` writes one row for each trial.

    \(table(of: MeasurementCSV.columns))

    ## Roles

    With `--roles`, `rows.roles.csv` has one row for each trial and role. They are written before the
    trial's own row, so that no trial lacks them.

    \(table(of: RoleCSV.columns))

    """
  }

  private static func table<Row: Sendable>(of columns: [Column<Row>]) -> String {
    let head = ["| Column | Type | Unit | Meaning | Empty |", "|---|---|---|---|---|"]
    let rows = columns.map { column in
      let cells = [
        "`\(column.name)`", column.type, column.unit, column.meaning, column.empty ?? "never",
      ]
      return "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }
    return (head + rows).joined(separator: "\n")
  }
}

@Suite struct ColumnsPageTests {
  @Test func `the committed page is as generated from the columns`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/csv.md")
    if ProcessInfo.processInfo.environment["WRITE_DOCS"] != nil {
      try ColumnsPage.text.write(to: page, atomically: true, encoding: .utf8)
    }
    let committed = try String(contentsOf: page, encoding: .utf8)
    #expect(committed == ColumnsPage.text)
  }

  @Test func `every column is documented, and a required one is never empty`() {
    let trials = MeasurementCSV.columns.filter { !isDocumented($0) }.map(\.name)
    let roles = RoleCSV.columns.filter { !isDocumented($0) }.map(\.name)
    #expect(trials == [])
    #expect(roles == [])
  }

  /// Whether the documentation of a column fits into the cells of its row.
  private func isDocumented<Row: Sendable>(_ column: Column<Row>) -> Bool {
    let cells = [column.type, column.unit, column.meaning, column.empty ?? ""]
    return !column.type.isEmpty && column.meaning.hasSuffix(".") && column.empty != ""
      && column.isRequired == (column.empty == nil)
      && cells.allSatisfy { !$0.contains("|") && !$0.contains("\n") }
  }
}
