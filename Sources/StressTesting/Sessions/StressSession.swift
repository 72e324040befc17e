import Interleaving
import WeakCollections

/// Runs cells in turn until the end of its time, or until a cell finds a violation.
package struct StressSession: Sendable {
  private var cells: [any StressCell]
  /// The duration of a cell's turn: long enough for many scenarios, and short enough that every
  /// cell gets a turn even if the run is interrupted early.
  private let turn: Duration

  /// Creates a session.
  ///
  /// - Precondition: `cells` is not empty.
  package init(_ cells: [any StressCell], turn: Duration = .milliseconds(250)) {
    guard !cells.isEmpty else {
      fatalError("cells must not be empty; a session needs a subject and a driver")
    }
    self.cells = cells
    self.turn = turn
  }

  /// Runs scenarios until the first finding, and returns it; `nil` if there is none before `end`.
  ///
  /// - Parameter report: A closure that this method calls after each scenario, with the index of
  ///   the cell.
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
  /// Returns a cell for `subject`. Its seed does not depend on the other cells of the session.
  ///
  /// - Parameter threads: The numbers of threads of scenarios; `nil` for those of the driver.
  package func cell(
    for subject: Subject, seed: UInt64, threads: [Int]? = nil
  ) -> any StressCell {
    let name = "\(subject.collection.rawValue) \(subject.name) \(rawValue)"
    let seed = name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    switch self {
    case .threads: return ThreadCell(subject, seed: seed, threads: threads)
    case .schedules: return ScheduleCell(subject, seed: seed, threads: threads)
    }
  }

  /// Whether this build can run `subject` under this driver: schedules need the trait
  /// `Interleaving` and a subject that never suspends.
  package func supports(_ subject: Subject) -> Bool {
    switch self {
    case .threads: true
    case .schedules: Exploration.isAvailable && subject.isSynchronous
    }
  }
}

/// One subject under one driver. It runs one scenario after the other.
package protocol StressCell: Sendable {
  var subject: Subject { get }
  var driver: StressDriver { get }
  /// A closure that the cell calls before each scenario, with the replay string.
  var announce: @Sendable (ReplayString) -> Void { get set }
  /// A closure that the cell calls with a violation before it minimizes the scenario, which takes
  /// seconds.
  var onViolation: @Sendable (Finding) -> Void { get set }
  /// Draws a scenario, runs it, checks the recordings, and minimizes a violation.
  mutating func tryNext() async -> StressResult
}

/// The result of one scenario.
package struct StressResult: Sendable {
  package var tally = StressTally()
  package var finding: Finding?
}

/// The counts of a stress run.
package struct StressTally: Hashable, Sendable {
  /// The number of scenarios.
  package var scenarios = 0
  /// The number of operations of all executions.
  package var operations = 0
  /// The number of executions whose history was recorded and checked.
  package var histories = 0
  /// The number of executions under the managed scheduler.
  package var executions = 0
  /// The number of histories whose check reached its time limit.
  package var undecided = 0
  /// The number of scenarios with a violation.
  package var violations = 0

  package init() {}

  /// Adds the counts of `other`.
  package static func += (tally: inout StressTally, other: StressTally) {
    tally.scenarios += other.scenarios
    tally.operations += other.operations
    tally.histories += other.histories
    tally.executions += other.executions
    tally.undecided += other.undecided
    tally.violations += other.violations
  }
}
