import TerminalIO
import Benchmarking
import Charts
import Measurements
import Reporting

/// The tables of a report in cells, which text and Markdown show each their way.
struct LimitsTables {
  let report: LimitsReport

  struct Table {
    var title: String
    /// The first of left-aligned words, the others of numbers, unless it is the table of limits.
    var columns: [TextTable.Column]
    var rows: [[String]]
  }

  /// A table of medians for each group that has a figure, then the limits.
  var all: [Table] {
    LimitCatalog.Table.allCases.compactMap(figures) + (report.verdicts.isEmpty ? [] : [limits])
  }

  private func figures(_ table: LimitCatalog.Table) -> Table? {
    let figures = report.figures.filter { $0.table == table.rawValue }
    guard !figures.isEmpty else { return nil }
    let columns = figures.map(\.column).withoutRepetitions
    return Table(
      title: table.title,
      columns: [.init()] + columns.map { .init(title: $0, alignment: .right) },
      rows: figures.map(\.row).withoutRepetitions.map { row in
        [row]
          + columns.map { column in
            let figure = Figure(table.rawValue, row, column)
            return figures.contains(figure)
              ? NumberText.amount(report.trials.median(of: figure)) : ""
          }
      })
  }

  private var limits: Table {
    Table(
      title: "Limits",
      columns: [
        .init(title: "LIMIT"), .init(title: "WHAT"), .init(title: "VALUE", alignment: .right),
        .init(title: "MUST"), .init(), .init(title: "AIM"), .init(),
      ],
      rows: report.verdicts.map { verdict in
        [
          verdict.limit.name, verdict.limit.statement, NumberText.signed(verdict.value),
          verdict.limit.must?.text ?? "", verdict.must?.words ?? "",
          verdict.limit.aim?.text ?? "", verdict.aim?.words ?? "",
        ]
      })
  }
}
