import TerminalIO
import Benchmarking
import Measurements

/// Finds the trials of a plan that a file has no rows of yet, and what its rows know of them.
struct PlanResuming {
  let plan: RunPlan
  let environment: Measurement.Environment

  /// Those that are missing, if every row of the file is one of the plan's.
  func missing(in path: String, rows: [Measurement]) throws(CommandError) -> [TrialSpecification] {
    if let difference = differenceOfPrograms(rows) ?? differenceOfPlans(rows) {
      throw .usage(
        "\(path) cannot be resumed: \(difference) (allowed: a file of the same options, seed, program "
          + "and machine, or another path)")
    }
    let done = Set(rows.map(PlannedRow.init))
    let left = plan.trials.filter { !done.contains(PlannedRow($0)) }
    return KnownCapacities(of: rows).resolved(left)
  }

  private func differenceOfPrograms(_ rows: [Measurement]) -> String? {
    guard let row = rows.first(where: { $0.environment != environment }) else { return nil }
    var own = row
    own.environment = environment
    for column in ["machine"] + Measurement.Environment.planColumns + ["cpu", "os", "kernel"] {
      let (theirs, ours) = (text(column, row), text(column, own))
      if theirs != ours { return "its \(column) is \(theirs), this program's \(ours)" }
    }
    return "its machine is another"
  }

  private func differenceOfPlans(_ rows: [Measurement]) -> String? {
    let planned = plan.trials.map(PlannedRow.init)
    let known = Set(planned)
    guard let row = rows.first(where: { !known.contains(PlannedRow($0)) }) else { return nil }
    for column in PlannedRow.columns {
      let ours = Set(planned.compactMap { $0.text(ofColumn: column) }.map(Self.known))
      let theirs = Self.known(PlannedRow(row).text(ofColumn: column) ?? "")
      guard !ours.contains(theirs) else { continue }
      let list =
        column == "seed" ? "those of another --seed" : ours.sorted().joined(separator: ", ")
      return "its row \(row.identity.row) has the \(column) \(theirs), this plan \(list)"
    }
    let shard = row.identity.shard.map { " (it is of shard \($0))" } ?? ""
    return "its row \(row.identity.row) is of no trial of this plan\(shard)"
  }

  private func text(_ column: String, _ row: Measurement) -> String {
    Self.known(MeasurementCSV.text(ofColumn: column, in: row) ?? "")
  }

  private static func known(_ text: String) -> String { text.isEmpty ? "unknown" : text }
}
