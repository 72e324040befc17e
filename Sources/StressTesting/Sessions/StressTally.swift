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
