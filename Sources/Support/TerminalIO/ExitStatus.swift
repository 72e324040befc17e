
/// What the exit status of every command means; scripts rely on the numbers, which never change.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case fine = 0
  case found = 1
  case failed = 2
  case undecided = 3
  case outsideMeasured = 4
  case usage = 64
  case badData = 65
  case interrupted = 130

  /// What the README and `--help` say.
  package var meaning: String {
    switch self {
    case .fine: "fine"
    case .found: "found something: failed trial, violation, illegal, regression, leak"
    case .failed: "could not do its work, such as writing a row"
    case .undecided: "undecided: the measurements or the time given do not tell"
    case .outsideMeasured: "the question lies outside what was measured"
    case .usage: "usage: an option, name, number or path that is not allowed; nothing ran"
    case .badData: "bad data: a file that was read is damaged"
    case .interrupted: "interrupted; what was finished by then is kept"
    }
  }

  /// The table as it stands in the README, with a line end after each row.
  package static var markdownTable: String {
    let rows = allCases.map { "| \($0.rawValue) | \($0.meaning) |\n" }
    return "| Status | Meaning |\n|---|---|\n" + rows.joined()
  }

  /// For `--help`.
  package static var helpText: String {
    let table = TextTable(
      columns: [.init(alignment: .right), .init()],
      rows: allCases.map { ["\($0.rawValue)", $0.meaning] })
    return "EXIT STATUSES:\n" + table.lines.map { "  \($0)\n" }.joined()
  }
}
