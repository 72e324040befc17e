import Interleaving

/// Explores schedules of a scenario of the reclamation.
package struct ReclamationHunt: Sendable {
  let scenario: ReclamationScenario
  let planting: Planting

  package init(scenario: ReclamationScenario, planting: Planting) {
    self.scenario = scenario
    self.planting = planting
  }

  /// In child processes: a trap is a finding too.
  package func outcome(
    _ strategy: Exploration.Strategy, seed: UInt64 = 0, limit: Duration
  ) -> Outcome {
    #if Interleaving
      let plan = Exploration(
        strategy: strategy, seed: seed, executions: Self.mostExecutions,
        weakened: planting.weakenings)
      do {
        return try plan.runInChildren(timeLimit: limit, hangLimit: .seconds(5)) { execution in
          planting.plant()
          scenario.run(in: execution)
        }
      } catch {
        preconditionFailure("the system starts no further process")
      }
    #else
      preconditionFailure("schedules need the trait Interleaving")
    #endif
  }

  /// More than any time allows.
  private static var mostExecutions: Int { 1 << 30 }
}
