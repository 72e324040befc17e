import Interleaving
import WeakCollections

/// Tries cells in turn until the time is over or something is found.
package struct StressSession: Sendable {
  private var cells: [any StressCell]
  /// A cell's turn: long enough to count, short enough that all get theirs before an interruption.
  private let turn: Duration

  package init(_ cells: [any StressCell], turn: Duration = .milliseconds(250)) {
    precondition(!cells.isEmpty, "a session has something to try")
    self.cells = cells
    self.turn = turn
  }

  /// Reports what came of each scenario with its cell's index; returns the first finding.
  package mutating func run(
    until end: ContinuousClock.Instant, report: (Int, StressTally) -> Void
  ) async -> Finding? {
    while true {
      for index in cells.indices {
        let turnEnd = ContinuousClock.now + turn
        repeat {
          let result = await cells[index].tryNext()
          report(index, result.tally)
          if let finding = result.finding { return finding }
          if ContinuousClock.now >= end { return nil }
        } while ContinuousClock.now < turnEnd
      }
    }
  }
}

extension StressDriver {
  /// A cell of its own seed, which does not depend on what else is tried.
  package func cell(for subject: Subject, seed: UInt64) -> any StressCell {
    let name = "\(subject.collection.rawValue) \(subject.name) \(rawValue)"
    let seed = name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    switch self {
    case .threads: return ThreadCell(subject, seed: seed)
    case .schedules: return ScheduleCell(subject, seed: seed)
    }
  }

  /// Whether this build can run `subject` under this driver: schedules need the trait `Interleaving`
  /// and a subject that never suspends.
  package func supports(_ subject: Subject) -> Bool {
    switch self {
    case .threads: true
    case .schedules: Exploration.isAvailable && subject.isSynchronous
    }
  }
}

/// One subject under one driver: tries scenario after scenario.
package protocol StressCell: Sendable {
  var subject: Subject { get }
  var driver: StressDriver { get }
  /// Told what is about to run, by what repeats it.
  var announce: @Sendable (ReplayString) -> Void { get set }
  /// Draws a scenario, runs it and checks what came of it; makes what is wrong small.
  mutating func tryNext() async -> StressResult
}

/// What came of one scenario.
package struct StressResult: Sendable {
  package var tally = StressTally()
  package var finding: Finding?
}

/// How much has been tried.
package struct StressTally: Hashable, Sendable {
  package var scenarios = 0
  /// Operations of all executions.
  package var operations = 0
  /// Executions whose history was recorded and checked.
  package var histories = 0
  /// Executions under the managed scheduler.
  package var executions = 0
  /// Histories whose check took too long.
  package var undecided = 0
  package var violations = 0

  package init() {}

  package static func += (tally: inout StressTally, other: StressTally) {
    tally.scenarios += other.scenarios
    tally.operations += other.operations
    tally.histories += other.histories
    tally.executions += other.executions
    tally.undecided += other.undecided
    tally.violations += other.violations
  }
}
