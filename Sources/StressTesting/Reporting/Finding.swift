import Charts
import WeakCollections

/// A violation, with the data to report it and to repeat it.
package struct Finding: Sendable {
  /// The name of the subject.
  package var subject: String
  /// The minimized scenario.
  package var scenario: Scenario
  /// The violation.
  package var violation: Violation
  /// The replay string.
  package var replay: ReplayString

  package init(
    subject: String, scenario: Scenario, violation: Violation, replay: ReplayString
  ) {
    self.subject = subject
    self.scenario = scenario
    self.violation = violation
    self.replay = replay
  }

  /// The shell command that repeats the finding.
  package var replayCommand: String {
    "weakstress replay --backend \(subject) --collection \(scenario.collection.rawValue) "
      + replay.text
  }

  /// The subject and the violation, on one line.
  package var title: String {
    "\(subject) \(scenario.collection.rawValue): \(violation.kind.rawValue): \(violation.summary)"
  }

  /// The numbers of threads and operations.
  package var size: String {
    let threads = scenario.threads.count
    let steps = scenario.steps.count
    return "\(threads) \(threads == 1 ? "thread" : "threads"), "
      + "\(steps) \(steps == 1 ? "operation" : "operations")"
  }

  /// The timeline of the recording; `nil` without a recording.
  package var timeline: Timeline? {
    violation.recording.map {
      Timeline($0, of: scenario, partialLinearization: violation.partialLinearization)
    }
  }

  /// The lines below the table: the partial linearization and the operations that cannot follow it.
  package var explanation: [String] {
    guard let partialLinearization = violation.partialLinearization,
      let recording = violation.recording
    else {
      return []
    }
    return partialLinearization.explanation(of: recording)
  }
}

extension Finding {
  /// The lines of a report below its summary: a table with a column for each thread, the partial
  /// linearization, and the schedule. An empty line precedes each of the three.
  package var lines: [String] {
    [timeline?.table ?? [], explanation, violation.scheduleLines].flatMap {
      $0.isEmpty ? [] : [""] + $0
    }
  }
}

/// A finding as a self-contained HTML page: a lane for each thread, a bar for each operation, a
/// point for each linearization point, and the partial linearization below.
package struct FindingPage: Sendable {
  private let finding: Finding

  package init(_ finding: Finding) { self.finding = finding }

  /// The text of the page.
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
    guard let partialLinearization = finding.violation.partialLinearization,
      let recording = finding.violation.recording
    else { return "" }
    func name(_ operation: Int?) -> String { recording.name(of: operation).escapedForMarkup }
    let points = partialLinearization.points.map { point in
      "<li>\(name(point.operation)) <span>leaves</span> <code>\(point.state.escapedForMarkup)</code></li>"
    }
    let stuck = partialLinearization.stuck.map { "<li class=\"stuck\">\(name($0))</li>" }
    return """
      <h2>The longest partial linearization of \(partialLinearization.partition.escapedForMarkup)</h2>
      <ol>\(points.joined())</ol>
      <h2>None of these can come next</h2>
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

/// The style sheet of a finding's page, for light and dark mode.
enum PageStyle {
  static let text = """
    :root { color-scheme: light dark; --ink: #1c1e21; --faint: #6b7178; --paper: #ffffff;
      --line: #d8dce1; --bar: #cfe2fb; --edge: #3a78c3; --bad: #b3261e; --badbar: #fbdad7;
      --idle: #eceef1; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --faint: #9aa2ab;
      --paper: #16181b; --line: #363b42; --bar: #1e3a5f; --edge: #7db3f2; --bad: #ff8a80;
      --badbar: #55211d; --idle: #24282d; } }
    body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
      max-width: 72rem; margin: 2rem auto; padding: 0 1.25rem; }
    h1 { font-size: 1.4rem; margin: 0 0 .25rem; }
    h2 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
    .facts, li span, .lane, .mark { color: var(--faint); }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .6rem .8rem; background: var(--idle); border-radius: 6px; }
    .scroll { overflow-x: auto; }
    svg { display: block; font: 13px system-ui, sans-serif; }
    svg text { fill: var(--ink); }
    svg text.lane { fill: var(--faint); }
    .rule { stroke: var(--line); }
    .bar { fill: var(--idle); stroke: var(--line); }
    .placed { fill: var(--bar); stroke: var(--edge); }
    .stuckbar { fill: var(--badbar); stroke: var(--bad); stroke-dasharray: 4 2; }
    .point { fill: var(--edge); }
    svg text.number { fill: var(--paper); font-size: 11px; text-anchor: middle; }
    .order { fill: none; stroke: var(--edge); stroke-dasharray: 2 3; }
    .stuck { color: var(--bad); }
    table { border-collapse: collapse; font-size: .85rem; }
    td, th { text-align: left; padding: .1rem .9rem .1rem 0; vertical-align: top; }
    """
}
