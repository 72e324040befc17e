extension Search {
  /// What to tell about a part after `run` was exhausted.
  mutating func counterexample(
    to part: Timeline<Model.Partition>.Part
  ) -> Counterexample<Model> {
    let end = furthest
    budget = SearchBudget(timeLimit: nil, stepLimit: nil)
    // Some order explains everything before the return that none gets past: this finds it again, in no
    // more steps than it took to get there.
    let outcome = run(part.events.lowerBound..<end, keepsStates: true)
    precondition(outcome == .found, "a search reached a return that it cannot reach again")
    let events = timeline.events
    return Counterexample(
      partition: part.partition,
      operations: events[part.events].filter { !$0.isReturn }.map { $0.operation },
      prefix: points,
      states: states,
      unplaceable: events[end].operation,
      candidates: candidates)
  }
}
