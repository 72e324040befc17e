import Primitives
import SeededRandom

/// Random scenarios of one subject on real threads.
package struct ThreadCell: StressCell {
  package let subject: Subject
  package var driver: StressDriver { .threads }
  package var announce: @Sendable (ReplayString) -> Void = { _ in }
  private var scenarios: ScenarioGenerator
  private var seeds: SplitMix64
  private let minimizing: Duration

  /// - Parameter minimizing: how long a scenario that fails is made smaller.
  package init(_ subject: Subject, seed: UInt64, minimizing: Duration = .seconds(3)) {
    self.subject = subject
    self.minimizing = minimizing
    let limits = ScenarioGenerator.Limits.threads(cores: Host.usableCores)
    seeds = SplitMix64(seed: seed)
    scenarios = ScenarioGenerator(
      for: subject.collection, seed: seeds.next(),
      limits: subject.isSynchronous ? limits : limits.suspending)
  }

  package mutating func tryNext() async -> StressResult {
    let scenario = scenarios.next()
    var trial = ThreadTrial(subject: subject, seed: seeds.next())
    trial.usesTickets = seeds.number(below: 8) == 0
    trial.announce = announce
    let (tally, violation) = await trial.run(scenario)
    var result = StressResult(tally: tally)
    guard let violation else { return result }
    result.tally.violations = 1
    result.finding = await minimized(scenario, violation, trial)
    return result
  }

  private func minimized(
    _ scenario: Scenario, _ violation: Violation, _ trial: ThreadTrial
  ) async -> Finding {
    // A hang is not repeated: the threads that hang are there for good.
    let isRepeatable = violation.kind != .hang
    let end = ContinuousClock.now + (isRepeatable ? minimizing : .zero)
    let minimizer = Minimizer { candidate in await trial.violation(of: candidate, until: end) }
    let (scenario, violation) = await minimizer.minimize(
      scenario, failing: violation, suspects: violation.suspects(in: scenario),
      isOutOfTime: { ContinuousClock.now >= end })
    return Finding(
      subject: subject.name, scenario: scenario, violation: violation,
      replay: ReplayString(scenario, .threads(seed: trial.seed)))
  }
}
