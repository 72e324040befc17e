import Interleaving

/// Explores schedules of a scenario of the reclamation.
struct ReclamationHunt: Sendable {
  let scenario: ReclamationScenario
  let planting: Planting

  /// In child processes: a trap is a finding too.
  func outcome(
    _ strategy: Exploration.Strategy, seed: UInt64 = 0, executions: Int = 1 << 30, limit: Duration
  ) -> Outcome {
    #if Interleaving
      let plan = Exploration(
        strategy: strategy, seed: seed, executions: executions,
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
}
