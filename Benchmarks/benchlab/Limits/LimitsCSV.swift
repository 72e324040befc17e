import Measurements

/// A report as CSV: a row for each figure, then one for each limit. What was not measured is empty.
struct LimitsCSV {
  let report: LimitsReport

  static let columns = [
    "record", "limit", "what", "table", "row", "column", "trials", "value", "min", "max", "must",
    "must_standing", "aim", "aim_standing", "quick", "seconds", "seed", "machine", "swift",
    "allocator", "configuration", "commit",
  ]

  var text: String {
    ([Self.columns] + report.figures.map(figure) + report.verdicts.map(limit))
      .map { $0.map(MeasurementCSV.field).joined(separator: ",") + "\n" }.joined()
  }

  private func figure(_ figure: Figure) -> [String] {
    let values = report.trials.values[figure] ?? []
    return ["figure", "", "", figure.table, figure.row, figure.column, "\(values.count)"]
      + [report.trials.median(of: figure), values.min(), values.max()].map(Self.text)
      + ["", "", "", ""] + common
  }

  private func limit(_ verdict: LimitVerdict) -> [String] {
    let limit = verdict.limit
    return ["limit", limit.name, limit.statement, "", "", "", "", Self.text(verdict.value), "", ""]
      + [
        limit.must?.text ?? "", verdict.must?.rawValue ?? "", limit.aim?.text ?? "",
        verdict.aim?.rawValue ?? "",
      ] + common
  }

  private var common: [String] {
    let environment = report.environment
    return [
      "\(report.isQuick)", "\(report.seconds)", "\(report.seed)", environment.machine,
      environment.swift, environment.allocator, environment.buildConfiguration,
      environment.commit ?? "",
    ]
  }

  private static func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
}
