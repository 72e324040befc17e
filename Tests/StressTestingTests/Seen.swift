import WeakCollections

@testable import StressTesting

/// An operation that was seen, as tests write it: `Seen("i0-1", 3...8, .value([1]), by: 1)`.
struct Seen {
  var step: String
  var interval: ClosedRange<UInt64>
  var answer: Answer?
  var lane: Int

  init(
    _ step: String, _ interval: ClosedRange<UInt64>, _ answer: Answer? = .nothing, by lane: Int = 0
  ) {
    self.step = step
    self.interval = interval
    self.answer = answer
    self.lane = lane
  }
}

extension RecordingVerdict {
  /// nil if all is fine.
  var violation: Violation.Kind? {
    if case .violation(let violation) = self { violation.kind } else { nil }
  }
}

/// What is wrong with a recording of these operations; nil if nothing is.
func verdict(
  _ collection: CollectionKind, _ operations: [Seen], atRest contents: Answer,
  isFenced: Bool = true, changing change: (inout Aftermath) -> Void = { _ in }
) throws -> Violation.Kind? {
  let steps = try operations.map {
    try Scenario(parsing: $0.step, for: collection).threads[0].steps[0]
  }
  let scenario = Scenario(collection, steps.map { ThreadPlan([$0]) })
  let recorded = zip(operations, steps).map { seen, step in
    RecordedOperation(
      lane: seen.lane, step: step, call: seen.interval.lowerBound,
      return: seen.answer == nil ? nil : seen.interval.upperBound, answer: seen.answer)
  }
  var aftermath = Aftermath(contents: contents)
  if case .objects(let objects) = contents { aftermath.count = objects.count }
  if case .pairs(let pairs) = contents { aftermath.count = pairs.count }
  change(&aftermath)
  let check = RecordingCheck(scenario, isFenced: isFenced)
  return check.verdict(on: Recording(operations: recorded, aftermath: aftermath)).violation
}
