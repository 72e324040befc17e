import Measurements

/// All tables of rows: the summary, and what each role did where workers have roles.
enum Tables {
  /// Empty if there is nothing to show.
  static func text(of rows: [Measurement], isQuick: Bool, details: Bool) -> String {
    [
      SummaryTable(of: rows, isQuick: isQuick, details: details).text, RolesTable(of: rows).text,
      OpenLoopRolesTable(of: rows).text,
    ]
    .filter { !$0.isEmpty }.joined(separator: "\n\n")
  }
}
