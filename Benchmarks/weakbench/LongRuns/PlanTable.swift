import TerminalIO
import Benchmarking
import Charts
import Measurements
import Reporting
import WeakCollections
import Workloads

/// What `--dry-run` shows: what is in a plan, and how long it will take.
struct PlanTable {
  let plan: RunPlan

  /// One block for each collection.
  var text: String {
    plan.trials.map(\.contestant.collection).withoutRepetitions
      .map(block).joined(separator: "\n\n")
  }

  private func block(_ collection: CollectionKind) -> String {
    let trials = plan.trials.filter { $0.contestant.collection == collection }
    let seconds = trials.reduce(0) { $0 + $1.estimatedSeconds }
    let title =
      "\(collection.rawValue): \(NumberText.count(trials.count)) trials, a row each, about "
      + NumberText.duration(seconds: seconds)
    let rows = lines(trials).map { ["  \($0.name)", $0.values.joined(separator: ", ")] }
    return ([title] + TextTable(columns: [.init(), .init()], rows: rows).lines)
      .joined(separator: "\n")
  }

  private func lines(_ trials: [TrialSpecification]) -> [(name: String, values: [String])] {
    let kinds = Measurement.Kind.allCases.map { kind in
      (
        name: "\(kind.rawValue)s",
        values: trials.filter { $0.contestant.kind == kind }
          .map(\.contestant.name).withoutRepetitions.sorted()
      )
    }
    let rows = trials.map(PlannedRow.init)
    let columns = Self.columns.map { column in
      (name: column, values: Self.sorted(rows.compactMap { $0.text(ofColumn: column) }))
    }.filter { Self.defaults[$0.name] != $0.values }
    return (kinds + columns).filter { !$0.values.isEmpty }
  }

  /// What may have several values in a plan, by its name in the rows.
  private static let columns = [
    "workload", "key_type", "value_type", "key_distribution", "driver", "threads", "size", "trial",
    "warmup_seconds", "requested_seconds", "roles", "mode", "load_percent",
    "target_ops_per_second", "fork",
  ]

  /// What says nothing where nobody asked for anything else.
  private static let defaults = ["driver": ["threads"], "mode": ["closed"], "fork": ["1"]]

  /// Numbers by their values; empty fields say nothing.
  private static func sorted(_ values: [String]) -> [String] {
    Set(values).subtracting([""]).sorted { one, other in
      if let one = Double(one), let other = Double(other) { return one < other }
      return one < other
    }
  }
}
