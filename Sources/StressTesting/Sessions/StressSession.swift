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
}
