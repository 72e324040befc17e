import TerminalIO
import Charts
import StressTesting
import WeakCollections

/// What a stress run has tried, a row for each subject and driver.
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

  /// The sums of what was measured.
  private var totals: [Int?] {
    let numbers = rows.map(Self.numbers)
    return Self.titles.indices.dropFirst(3).map { column in
      let measured = numbers.compactMap { $0[column - 3] }
      return measured.isEmpty ? nil : measured.reduce(0, +)
    }
  }

  var text: String {
    let columns = Self.titles.enumerated().map { index, title in
      TextTable.Column(title: title, alignment: index < 3 ? .left : .right)
    }
    let cells = rows.map { Self.names($0) + Self.numbers($0).map(NumberText.optionalCount) }
    let sum = ["all", "", ""] + totals.map(NumberText.optionalCount)
    return TextTable(columns: columns, rows: cells + [sum]).lines.joined(separator: "\n")
  }

  var csv: String {
    let lines = rows.map { Self.names($0) + Self.numbers($0).map { $0.map(String.init) ?? "" } }
    return ([Self.titles] + lines).map { $0.joined(separator: ",") + "\n" }.joined()
  }

  var markdown: String {
    func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }
    let alignment = Self.titles.indices.map { $0 < 3 ? "---" : "---:" }
    let lines = rows.map { line(Self.names($0) + Self.numbers($0).map(NumberText.optionalCount)) }
    let sum = ["all", "", ""] + totals.map(NumberText.optionalCount)
    return line(Self.titles) + line(alignment) + lines.joined() + line(sum)
  }

  private static func names(_ row: Row) -> [String] {
    [row.backend, row.collection.rawValue, row.driver.rawValue]
  }

  private static func numbers(_ row: Row) -> [Int?] {
    let tally = row.tally
    // Not measured, rather than none: threads of the system are no executions of a scheduler, and the
    // scheduler's child processes do not tell which histories they left undecided.
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
