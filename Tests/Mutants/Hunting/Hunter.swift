import Interleaving
import StressTesting

/// Hunts until something is found or the time is over.
package struct Hunter: Sendable {
  private let seed: UInt64
  private let limit: Duration

  package init(seed: UInt64, limit: Duration) {
    self.seed = seed
    self.limit = limit
  }

  /// Runs the schedule of an earlier catch once more; nil for a hunt that is not of the reclamation.
  package static func replay(_ schedule: Schedule, of hunt: Hunt) -> Outcome? {
    guard case .reclamation(let scenario, let planting) = hunt else { return nil }
    return ReclamationHunt(scenario: scenario, planting: planting).outcome(
      .replay(schedule), executions: 1, limit: .seconds(10))
  }

  /// - Parameter name: the mutant's, for its replay.
  package func run(_ hunt: Hunt, named name: String) async -> Catch {
    // A subject that plants a defect does so when it is made.
    Planting.none.plant()
    defer { Planting.none.plant() }
    switch hunt {
    case .stress(let subject, _, let driver): return await run(subject, driver)
    case .scenario(let subject, _, let scenario):
      return run(ScenarioHunt(subject: subject, scenario: scenario))
    case .reclamation(let scenario, let planting):
      return run(ReclamationHunt(scenario: scenario, planting: planting), named: name)
    }
  }

  private func run(_ subject: Subject, _ driver: StressDriver) async -> Catch {
    var tally = StressTally()
    let begin = ContinuousClock.now
    var session = StressSession([cell(for: subject, driver)])
    let finding = await session.run(until: begin + limit) { tally += $1 }
    return Catch(
      finding: finding?.title, executions: driver == .threads ? tally.histories : tally.executions,
      elapsed: ContinuousClock.now - begin, replay: finding?.replayCommand)
  }

  /// Makes what it finds small for a second: enough for a table.
  private func cell(for subject: Subject, _ driver: StressDriver) -> any StressCell {
    switch driver {
    case .threads: ThreadCell(subject, seed: seed, minimizing: .seconds(1))
    case .schedules: ScheduleCell(subject, seed: seed, minimizing: .seconds(1))
    }
  }

  private func run(_ hunt: ScenarioHunt) -> Catch {
    let begin = ContinuousClock.now
    let (executions, finding) = hunt.run(seed: seed, until: begin + limit)
    return Catch(
      finding: finding?.title, executions: executions, elapsed: ContinuousClock.now - begin,
      replay: finding?.replayCommand)
  }

  private func run(_ hunt: ReclamationHunt, named name: String) -> Catch {
    let outcome = hunt.outcome(.randomWalk, seed: seed, limit: limit)
    return Catch(
      finding: outcome.failure.map { "\($0.failure)" }, executions: Int(outcome.executions),
      elapsed: outcome.elapsed,
      replay: outcome.failure.map { "weakbench mutants --only \(name) --replay \($0.schedule)" })
  }
}
