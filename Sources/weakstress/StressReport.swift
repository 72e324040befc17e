import Charts
import StressTesting
import TerminalIO
import WeakCollections

/// The table of a stress run, with a row for each subject and driver.
struct StressTable {
  struct Row: Sendable {
    var backend: String
    var collection: CollectionKind
    var driver: StressDriver
    var tally = StressTally()
  }

  var rows: [Row]

  private static let titles = [
    "backend", "collection", "driver", "scenarios", "operations", "histories", "executions",
    "undecided", "violations",
  ]

  /// The sum of each column; `nil` for a column without a value.
  private var totals: [Int?] {
    let numbers = rows.map(Self.numbers)
    return Self.titles.indices.dropFirst(3).map { column in
      let measured = numbers.compactMap { $0[column - 3] }
      return measured.isEmpty ? nil : measured.reduce(0, +)
    }
  }

  /// The table for a terminal, with the sums in the last row.
  var text: String {
    TextTable(columns: Self.columns, rows: cells).lines.joined(separator: "\n")
  }

  var csv: String {
    let lines = rows.map { Self.names($0) + Self.numbers($0).map { $0.map(String.init) ?? "" } }
    return ([Self.titles] + lines).map { $0.joined(separator: ",") + "\n" }.joined()
  }

  var markdown: String { MarkdownTable(columns: Self.columns, rows: cells).text }

  private static var columns: [TextTable.Column] {
    titles.enumerated().map { index, title in
      TextTable.Column(title: title, alignment: index < 3 ? .left : .right)
    }
  }

  private var cells: [[String]] {
    rows.map { Self.names($0) + Self.numbers($0).map(NumberText.optionalCount) }
      + [["all", "", ""] + totals.map(NumberText.optionalCount)]
  }

  private static func names(_ row: Row) -> [String] {
    [row.backend, row.collection.rawValue, row.driver.rawValue]
  }

  private static func numbers(_ row: Row) -> [Int?] {
    let tally = row.tally
    // `nil` means "not measured": real threads have no executions under a scheduler, and the
    // scheduler's child processes do not count undecided histories.
    return [
      tally.scenarios, tally.operations, tally.histories,
      row.driver == .threads ? nil : tally.executions,
      row.driver == .threads ? tally.undecided : nil, tally.violations,
    ]
  }
}

extension NumberText {
  fileprivate static func optionalCount(_ value: Int?) -> String {
    value.map(count) ?? missing
  }
}

/// A finding as text: the violation, a table with a column per thread, and the command that repeats
/// it.
struct FindingText {
  let finding: Finding

  var text: String {
    let lines =
      ["\(finding.title)\n\(finding.size)"] + finding.lines
      + ["", "Repeat it:", "  \(finding.replayCommand)", ""]
    return lines.joined(separator: "\n")
  }
}
