import Charts
import LeakReports
import TerminalIO

/// The table of the classes and groups, with their counts and a sparkline of their live counts.
struct WatchTable {
  private static let longestName = 44

  private let watched: WatchedLeaks

  init(_ watched: WatchedLeaks) { self.watched = watched }

  /// Returns the lines of the table, `width` columns wide unless a class name needs more.
  func lines(width: Int) -> [String] {
    guard !watched.rows.isEmpty else { return [summary] }
    let columns: [TextTable.Column] = [
      .init(title: "CLASS"), .init(title: "LIVE", alignment: .right),
      .init(title: "MAX", alignment: .right), .init(title: "LEAKED", alignment: .right),
      .init(title: "LATE", alignment: .right),
    ]
    let withoutHistory = TextTable(columns: columns, rows: watched.rows.map(figures))
    let room = withoutHistory.lines.map(\.count).max() ?? 0
    let histories = watched.rows.map { subject in
      Sparkline.text(
        of: subject.series.samples.map(\.count),
        width: Swift.max(8, Swift.min(40, width - room - 3)))
    }
    let table = TextTable(
      columns: columns + [.init(title: "HISTORY")],
      rows: zip(watched.rows, histories).map { figures($0) + [$1] })
    return table.lines + ["", summary]
  }

  var summary: String {
    let counts = watched.tally.counts
    let instances = counts.values.reduce(0, +)
    return "\(Self.count(watched.rows.count, "class or group", "classes and groups")), "
      + "\(Self.count(counts.count, "leak", "leaks")) of "
      + "\(Self.count(instances, "instance", "instances")) in "
      + NumberText.duration(seconds: watched.seconds)
  }

  private func figures(_ subject: WatchedLeaks.Subject) -> [String] {
    [
      Self.shortened(subject.name), Self.text(subject.series.last), Self.text(subject.max),
      NumberText.count(subject.leaked), NumberText.count(subject.late),
    ]
  }

  private static func text(_ count: Int?) -> String {
    count.map(NumberText.count) ?? NumberText.missing
  }

  private static func count(_ count: Int, _ one: String, _ several: String) -> String {
    "\(NumberText.count(count)) \(count == 1 ? one : several)"
  }

  /// Returns the name or, if it is too long, its end, which identifies the class better than the
  /// module at its start.
  private static func shortened(_ name: String) -> String {
    name.count > longestName ? "…" + name.suffix(longestName - 1) : name
  }
}

/// A line of block characters that shows counts, scaled to the largest count.
enum Sparkline {
  private static let blocks = Array("▁▂▃▄▅▆▇█")

  /// Returns at most `width` characters, each for the largest count of a range of counts; empty
  /// without counts.
  static func text(of counts: [Int], width: Int) -> String {
    guard let greatest = counts.max(), width > 0 else { return "" }
    let columns = min(width, counts.count)
    return String(
      (0..<columns).map { column in
        let part = counts[column * counts.count / columns..<(column + 1) * counts.count / columns]
        guard greatest > 0, let count = part.max() else { return blocks[0] }
        return blocks[count * (blocks.count - 1) / greatest]
      })
  }
}
