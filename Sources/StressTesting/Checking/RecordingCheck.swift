import WeakCollections

/// What a check says of one execution.
package enum RecordingVerdict: Sendable {
  case fine
  case violation(Violation)
  /// The search for an order took too long.
  case undecided
}

/// Checks recordings of one scenario against everything that its collection promises.
package struct RecordingCheck: Sendable {
  private let scenario: Scenario
  private let isFenced: Bool
  private let timeLimit: Duration?

  /// - Parameter isFenced: whether stamps were taken behind fences, as on real threads; see `CountBounds`.
  package init(
    _ scenario: Scenario, isFenced: Bool = true, timeLimit: Duration? = .seconds(2)
  ) {
    self.scenario = scenario
    self.isFenced = isFenced
    self.timeLimit = timeLimit
  }

  package func verdict(on recording: Recording) -> RecordingVerdict {
    let verdict =
      switch scenario.collection {
      case .dictionary:
        DictionaryCheck(scenario, isFenced: isFenced, timeLimit: timeLimit)
          .verdict(on: recording)
      case .weakSet:
        WeakSetCheck(scenario, isFenced: isFenced, timeLimit: timeLimit).verdict(on: recording)
      case .weakArray: WeakArrayCheck(timeLimit: timeLimit).verdict(on: recording)
      }
    if case .violation = verdict { return verdict }
    guard var violation = recording.aftermath.violation else { return verdict }
    violation.recording = recording
    return .violation(violation)
  }
}

extension Recording {
  /// Later than every operation.
  var end: UInt64 {
    1 + operations.reduce(0) { max($0, $1.call, $1.return ?? 0) }
  }
}
