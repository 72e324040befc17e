import Interleaving
import SeededRandom
import StressTesting
import WeakCollections

/// What a search came to.
struct SearchResult {
  /// What was found, in one line; nil if nothing was.
  var finding: String?
  /// Executions until then, on threads or under schedules.
  var executions = 0
  /// The steps of the execution that failed.
  var trace: [String] = []
}

/// A tool of the stress harness and what it is applied to.
enum Search {
  /// Schedules of a program, such as `reclamation readers`, `interner pair`, `migrations removal`.
  case program(any ScheduledProgram)
  /// Schedules of one scenario: `lock-free dictionary s0-0/s0-1`.
  case scenario(Subject, Scenario)
  /// Random scenarios: `mutex dictionary schedules`, `mutex dictionary threads`.
  case stress(Subject, StressDriver)

  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    if words.count == 2 {
      let program: (any ScheduledProgram)? =
        switch words[0] {
        case "reclamation": ReclamationScenario(rawValue: words[1])
        case "interner": InternerScenario(rawValue: words[1])
        case "orderings": OrderingScenario(rawValue: words[1])
        case "migrations": MigrationScenario(rawValue: words[1])
        case "objects": ObjectScenario(rawValue: words[1])
        default: nil
        }
      guard let program else { return nil }
      self = .program(program)
      return
    }
    let subjects = BackendCatalog.subjects + BrokenCollections.all.map(\.subject)
    guard words.count == 3,
      let subject = subjects.first(where: {
        $0.name == words[0] && $0.collection.rawValue == words[1]
      })
    else { return nil }
    if let driver = StressDriver(rawValue: words[2]) {
      self = .stress(subject, driver)
    } else if let scenario = try? Scenario(parsing: words[2], for: subject.collection) {
      self = .scenario(subject, scenario)
    } else {
      return nil
    }
  }

  /// Runs until something is found, or until the turn in which the number of executions reaches
  /// `limit` has ended. A number of executions does not depend on the speed of the machine.
  func run(seed: UInt64, limit: Int) async -> SearchResult {
    switch self {
    case .program(let program): Self.run(program, seed, limit)
    case .scenario(let subject, let scenario): Self.run(subject, scenario, seed, limit)
    case .stress(let subject, let driver): await Self.run(subject, driver, seed, limit)
    }
  }

  private static func run(
    _ program: any ScheduledProgram, _ seed: UInt64, _ limit: Int
  ) -> SearchResult {
    explore(program.strategies, seed, limit) { strategy, memory, seed in
      let plan = Exploration(
        strategy: strategy, seed: seed, executions: executionsInTurn, memory: memory)
      do {
        // In child processes: a trap is a finding too.
        let outcome = try plan.runInChildren(hangLimit: .seconds(60), program.run)
        return (Int(outcome.executions), outcome.failure)
      } catch {
        preconditionFailure("the system starts no further process")
      }
    }
  }

  private static func run(
    _ subject: Subject, _ scenario: Scenario, _ seed: UInt64, _ limit: Int
  ) -> SearchResult {
    let strategies: [Exploration.Strategy] = [
      .randomWalk, .probabilisticConcurrency(depth: 3), .depthFirst(preemptionBound: 2),
    ]
    return explore(strategies, seed, limit) { strategy, memory, seed in
      var trial = ScheduleTrial(subject: subject, seed: seed, strategy: strategy)
      trial.memory = memory
      trial.executions = executionsInTurn
      let (tally, failure) = trial.run(scenario)
      return (tally.executions, failure)
    }
  }

  /// The executions of one strategy in one memory model, before it is the next one's turn.
  private static let executionsInTurn = 2000

  /// Explores in turns: every strategy in every weak memory model.
  private static func explore(
    _ strategies: [Exploration.Strategy], _ seed: UInt64, _ limit: Int,
    _ run: (Exploration.Strategy, MemoryModel, UInt64) -> (Int, FailedExecution?)
  ) -> SearchResult {
    var seeds = SplitMix64(seed: seed)
    var result = SearchResult()
    repeat {
      for memory in MemoryModel.weakModels {
        for strategy in strategies {
          let (executions, failure) = run(strategy, memory, seeds.next())
          result.executions += executions
          if let failure {
            // Not replayed in this process, which a seeded fault may end.
            result.finding = "\(failure.failure)"
            result.trace = failure.trace.map { "\($0)" }
            return result
          }
        }
      }
    } while result.executions < limit
    return result
  }

  private static func run(
    _ subject: Subject, _ driver: StressDriver, _ seed: UInt64, _ limit: Int
  ) async -> SearchResult {
    // A second of minimizing is enough for a table.
    var cell: any StressCell =
      switch driver {
      case .threads: ThreadCell(subject, seed: seed, minimizing: .seconds(1))
      case .schedules: ScheduleCell(subject, seed: seed, minimizing: .seconds(1))
      }
    var result = SearchResult()
    repeat {
      let next = await cell.tryNext()
      result.executions += driver == .threads ? next.tally.histories : next.tally.executions
      result.finding = next.finding.map { "\($0.violation.kind.rawValue): \($0.violation.summary)" }
    } while result.finding == nil && result.executions < limit
    return result
  }
}

/// What some virtual threads do, written for what is searched for there: small, so that few
/// schedules suffice.
protocol ScheduledProgram: Sendable {
  /// How its schedules are drawn, one strategy after the other.
  var strategies: [Exploration.Strategy] { get }

  func run(in execution: Execution)
}
