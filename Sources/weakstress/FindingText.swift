import TerminalIO
import StressTesting

/// A finding for people: what is wrong, a column for each thread, and what repeats it.
struct FindingText {
  let finding: Finding

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

  /// Who ran when, and what the last step of each run was; the page has all steps.
  private var trace: String {
    let runs = finding.violation.runs
    let switches = max(0, runs.count - 1)
    let title = "The schedule, with \(switches) \(switches == 1 ? "switch" : "switches"):"
    let lines = runs.suffix(Self.longestTrace).map { run in
      let count = "\(run.count) \(run.count == 1 ? "step" : "steps")"
      return "\n  thread \(run.thread), \(count) to  \(run.last)"
    }
    return title + (lines.count < runs.count ? "\n  …" : "") + lines.joined()
  }

  /// A schedule that was not made small can switch at every step.
  private static let longestTrace = 30
}
