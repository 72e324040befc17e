import Interleaving

/// What some virtual threads do, written for what is hunted there: small, so that few schedules are needed.
package protocol ScheduledProgram: Sendable {
  var rawValue: String { get }
  /// How its schedules are drawn, one strategy after the other.
  var strategies: [Exploration.Strategy] { get }

  #if Interleaving
    func run(in execution: Execution)
  #endif
}

/// Explores schedules of a program.
struct ProgramHunt: Sendable {
  let program: any ScheduledProgram
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
          program.run(in: execution)
        }
      } catch {
        preconditionFailure("the system starts no further process")
      }
    #else
      preconditionFailure("schedules need the trait Interleaving")
    #endif
  }
}
