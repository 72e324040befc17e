/// Makes a failing scenario smaller, as long as it still fails: fewest threads, then steps, then keys.
package struct Minimizer<Failure: Sendable>: Sendable {
  /// Runs a scenario and returns how it failed, if it did.
  private let attempt: @Sendable (Scenario) async -> Failure?

  package init(_ attempt: @escaping @Sendable (Scenario) async -> Failure?) {
    self.attempt = attempt
  }

  /// The smallest scenario found by taking away one thing after another, and its failure.
  ///
  /// Ends early when `isOutOfTime`; what was found by then is returned.
  ///
  /// - Parameter suspects: tried before everything else.
  package func minimize(
    _ scenario: Scenario, failing failure: Failure, suspects: [Scenario] = [],
    isOutOfTime: @Sendable () -> Bool = { false }
  ) async -> (scenario: Scenario, failure: Failure) {
    var best = (scenario: scenario, failure: failure)
    if let small = await firstFailing(of: suspects, isOutOfTime) { best = small }
    var candidates = best.scenario.reductions
    var position = 0
    var misses = 0
    // A success goes on from where it is: what has just not failed takes longest, and comes again last.
    while misses < candidates.count, !isOutOfTime() {
      let candidate = candidates[position % candidates.count]
      if let failure = await attempt(candidate) {
        best = (candidate, failure)
        candidates = candidate.reductions
        misses = 0
      } else {
        position += 1
        misses += 1
      }
    }
    return best
  }

  private func firstFailing(
    of candidates: [Scenario], _ isOutOfTime: @Sendable () -> Bool
  ) async -> (scenario: Scenario, failure: Failure)? {
    for candidate in candidates {
      if isOutOfTime() { return nil }
      if let failure = await attempt(candidate) { return (candidate, failure) }
    }
    return nil
  }
}
