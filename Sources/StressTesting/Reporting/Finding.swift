import WeakCollections

/// A violation with what it takes to tell and to repeat it.
package struct Finding: Sendable {
  package var subject: String
  package var scenario: Scenario
  package var violation: Violation
  package var replay: ReplayString

  package init(
    subject: String, scenario: Scenario, violation: Violation, replay: ReplayString
  ) {
    self.subject = subject
    self.scenario = scenario
    self.violation = violation
    self.replay = replay
  }

  /// Types into a shell what repeats it.
  package var replayCommand: String {
    "weakstress replay --backend \(subject) --collection \(scenario.collection.rawValue) "
      + replay.text
  }

  package var title: String {
    "\(subject) \(scenario.collection.rawValue): \(violation.kind.rawValue): \(violation.summary)"
  }

  package var size: String {
    let threads = scenario.threads.count
    let steps = scenario.steps.count
    return "\(threads) \(threads == 1 ? "thread" : "threads"), "
      + "\(steps) \(steps == 1 ? "operation" : "operations")"
  }

  package var timeline: Timeline? {
    violation.recording.map { Timeline($0, of: scenario, placement: violation.placement) }
  }

  /// What the search found, line by line, behind the table.
  package var explanation: [String] {
    guard let placement = violation.placement, let recording = violation.recording else {
      return []
    }
    let points = placement.points.enumerated().map { index, point in
      "  (\(index + 1)) \(recording.name(of: point.operation))   leaves \(point.state)"
    }
    let stuck = placement.stuck.map { "  ✗ \(recording.name(of: $0))" }
    return ["The longest order of \(placement.partition) that is allowed:"] + points
      + ["Next comes none of:"] + stuck
  }
}
