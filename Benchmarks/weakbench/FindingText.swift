import StressTesting

/// A finding for people: what is wrong, a column for each thread, and what repeats it.
struct FindingText {
  let finding: Finding

  /// Traces end in the failure; what is long before it says little.
  private static let longestTrace = 60

  var text: String {
    var parts = ["\(finding.title)\n\(finding.size)"]
    if let timeline = finding.timeline { parts.append(table(timeline)) }
    if !finding.explanation.isEmpty { parts.append(finding.explanation.joined(separator: "\n")) }
    if !finding.violation.trace.isEmpty { parts.append(trace) }
    parts.append("Repeat it:\n  \(finding.replayCommand)")
    return parts.joined(separator: "\n\n") + "\n"
  }

  private func table(_ timeline: Timeline) -> String {
    let columns = timeline.laneNames.map { TextTable.Column(title: $0) }
    let table = TextTable(columns: columns, rows: timeline.rows)
    return table.lines.map { "  \($0)" }.joined(separator: "\n")
  }

  private var trace: String {
    let lines = finding.violation.trace.suffix(Self.longestTrace)
    let isCut = lines.count < finding.violation.trace.count
    let title = isCut ? "The last \(lines.count) steps:" : "The steps:"
    return title + lines.map { "\n  \($0.text)" }.joined()
  }
}
