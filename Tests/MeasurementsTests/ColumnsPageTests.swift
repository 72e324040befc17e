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
    name. An empty field was not measured or is not known; it never means 0. Nothing is rounded, and
    no text looks like a number. [Benchmarking](benchmarking.md) describes a trial, its byte phase,
    roles and open loops.

    ## Trials

    `weakbench run --csv rows.csv` writes one row for each trial. The header has only the columns that
    the run can fill: a column with a *part* is in files with that part, a column without one in every
    file. A column that the file lacks reads as empty.

    \(parts)

    \(table(of: MeasurementCSV.rowColumns))

    ## Sessions

    The facts of a session do not vary between its rows. They stand in one line before the first of
    them, which `run` and `session` connect with its rows:

    ```
    # session {"run":"run-1","session":1,"schema":1,"machine":"epyc-2c","cores":2,…}
    ```

    The line is `# session ` and a JSON object of texts and numbers; an unknown fact is not in it. pandas
    skips it with `comment="#"`, R with `comment.char="#"`, and DuckDB by itself. A query that needs a
    fact joins it:

    ```sql
    WITH sessions AS (
      SELECT line[11:]->>'$.run' AS run, (line[11:]->>'$.session')::INT AS session,
        line[11:]->>'$.machine' AS machine
      FROM read_csv('rows.csv', columns = {line: 'VARCHAR'}, delim = '\\x01', quote = '', escape = '',
        comment = '', header = false)
      WHERE line LIKE '# session %')
    SELECT machine, backend, median(ns_per_op) FROM 'rows.csv' JOIN sessions USING (run, session)
    GROUP BY ALL;
    ```

    In files of earlier versions, the facts are columns instead, every part has its columns, and there
    are no such lines. They are read as before, and `weakbench merge` writes them as this version does.
    A fact that differs between the rows of a session, as in an edited file, stays a column.

    \(table(of: MeasurementCSV.factColumns))

    ## Roles

    With `--roles`, `rows.roles.csv` has one row for each trial and role. They are written before the
    trial's own row, so that no trial lacks them. `row` connects them with their trial and so with its
    session; the parts are those of the trials.

    \(table(of: RoleCSV.columns))

    """
  }

  private static var parts: String {
    let rows = MeasurementCSV.Part.allCases.map { "| `\($0.rawValue)` | \($0.condition) |" }
    return (["| Part | In files of |", "|---|---|"] + rows).joined(separator: "\n")
  }

  private static func table<Row: Sendable>(of columns: [Column<Row>]) -> String {
    let titles = ["Column", "Type", "Unit", "Meaning", "Empty", "Part"]
    let rows = columns.map { column in
      let parts = MeasurementCSV.Part.allCases.filter(column.parts.contains)
      return [
        "`\(column.name)`", column.type, column.unit, column.meaning, column.empty ?? "never",
        parts.map { "`\($0.rawValue)`" }.joined(separator: " and "),
      ]
    }
    // Without parts, their column is left out.
    let width = columns.allSatisfy(\.parts.isEmpty) ? titles.count - 1 : titles.count
    let rule = "|" + String(repeating: "---|", count: width)
    let lines = ([titles] + rows).map { cells in
      "|" + cells.prefix(width).map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }
    return ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
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
