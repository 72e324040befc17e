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

  /// Runs the schedule of an earlier catch once more; nil for a hunt that is not through a program.
  package static func replay(_ schedule: Schedule, of hunt: Hunt) -> Outcome? {
    hunt.program?.outcome(.replay(schedule), executions: 1, limit: .seconds(10))
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
    case .reclamation, .interning: return run(hunt.program!, named: name)
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

  private func run(_ hunt: ProgramHunt, named name: String) -> Catch {
    var executions = 0
    var elapsed = Duration.zero
    let strategies = hunt.program.strategies
    for strategy in strategies {
      let outcome = hunt.outcome(strategy, seed: seed, limit: limit / strategies.count)
      executions += Int(outcome.executions)
      elapsed += outcome.elapsed
      if let failure = outcome.failure {
        return Catch(
          finding: "\(failure.failure)", executions: executions, elapsed: elapsed,
          replay: "weakbench mutants --only \(name) --replay \(failure.schedule)")
      }
    }
    return Catch(finding: nil, executions: executions, elapsed: elapsed, replay: nil)
  }
}
