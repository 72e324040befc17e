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

  private var total: StressTally { rows.reduce(into: StressTally()) { $0 += $1.tally } }

  var text: String {
    let columns = Self.titles.enumerated().map { index, title in
      TextTable.Column(title: title, alignment: index < 3 ? .left : .right)
    }
    let cells = rows.map { Self.names($0) + Self.numbers($0).map(NumberText.optionalCount) }
    let sum = ["all", "", ""] + Self.numbers(total).map(NumberText.optionalCount)
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
    let sum = ["all", "", ""] + Self.numbers(total).map(NumberText.optionalCount)
    return line(Self.titles) + line(alignment) + lines.joined() + line(sum)
  }

  private static func names(_ row: Row) -> [String] {
    [row.backend, row.collection.rawValue, row.driver.rawValue]
  }

  private static func numbers(_ row: Row) -> [Int?] {
    var numbers = numbers(row.tally)
    // Threads of the system are not executions of a scheduler: not measured, rather than none.
    if row.driver == .threads { numbers[3] = nil }
    return numbers
  }

  private static func numbers(_ tally: StressTally) -> [Int?] {
    [
      tally.scenarios, tally.operations, tally.histories, tally.executions, tally.undecided,
      tally.violations,
    ]
  }
}

extension NumberText {
  fileprivate static func optionalCount(_ value: Int?) -> String {
    value.map(count) ?? missing
  }
}
