import Interleaving
import Primitives

/// Explores schedules of a scenario of the reclamation.
package struct ReclamationHunt: Sendable {
  let scenario: ReclamationScenario
  let planting: Planting

  #if Interleaving
    func run(executions: Int, seed: UInt64) throws -> Catch {
      let plan = Exploration(
        strategy: .randomWalk, seed: seed, executions: executions, stepLimit: 20_000, weakened: planting.weakenings)
      let outcome = try plan.runInChildren(hangLimit: .seconds(5)) { scenario.run(in: $0) }
      return Catch(finding: outcome.failure.map { "\($0.failure)" }, executions: Int(outcome.executions), elapsed: outcome.elapsed, replay: outcome.failure.map { "\($0.schedule)" })
    }
  #endif
}
