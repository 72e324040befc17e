import Charts
import WeakCollections

/// A finding as one HTML page that needs nothing else: a lane for each thread, a bar for each
/// operation, a point where an operation could take effect, and below it the order that was found.
package struct FindingPage: Sendable {
  private let finding: Finding

  package init(_ finding: Finding) { self.finding = finding }

  package var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(finding.title.escapedForMarkup)</title>
    <style>\(PageStyle.text)</style>
    </head>
    <body>
    <h1>\(heading)</h1>
    <p>\(finding.violation.summary.escapedForMarkup)</p>
    <p class="facts">\(finding.size), \(finding.subject.escapedForMarkup)
    \(finding.scenario.collection.rawValue); repeat it with</p>
    <pre>\(finding.replayCommand.escapedForMarkup)</pre>
    \(timeline)\(order)\(trace)
    </body>
    </html>

    """
  }

  private var heading: String {
    let kind = finding.violation.kind.rawValue
    return (kind.prefix(1).uppercased() + kind.dropFirst()).escapedForMarkup
  }

  private var timeline: String {
    finding.timeline.map { TimelineDrawing($0).svg } ?? ""
  }

  /// The partial linearization, with the state after each operation.
  private var order: String {
    guard let placement = finding.violation.placement, let recording = finding.violation.recording
    else { return "" }
    func name(_ operation: Int?) -> String { recording.name(of: operation).escapedForMarkup }
    let points = placement.points.map { point in
      "<li>\(name(point.operation)) <span>leaves</span> <code>\(point.state.escapedForMarkup)</code></li>"
    }
    let stuck = placement.stuck.map { "<li class=\"stuck\">\(name($0))</li>" }
    return """
      <h2>The longest order of \(placement.partition.escapedForMarkup) that is allowed</h2>
      <ol>\(points.joined())</ol>
      <h2>Next comes none of</h2>
      <ul>\(stuck.joined())</ul>
      """
  }

  private var trace: String {
    let lines = finding.violation.trace
    guard !lines.isEmpty else { return "" }
    let rows = lines.map { line in
      "<tr><td>\(line.thread)</td>"
        + "<td><code>\(line.text.escapedForMarkup)</code></td></tr>"
    }
    return """
      <details><summary>\(lines.count) steps of the schedule</summary>
      <table><tr><th>Thread</th><th>Step</th></tr>\(rows.joined())</table></details>
      """
  }
}
