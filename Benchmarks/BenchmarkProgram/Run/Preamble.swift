import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Primitives
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// The notes of `run` before the first trial.
enum Preamble {
  static func announce(_ plan: RunPlan, _ destination: OutputDestination) async {
    Console.note(line(plan, destination))
    if !AllocatorProbe.isAvailable {
      Console.note(
        "bytes are not measured: this build lacks the trait Jemalloc "
          + "(scripts/bench, or: swift run -c release --traits Jemalloc weakbench run)")
    }
    let times = MachineConditions.processorTimes
    Console.note(line(await HarnessCost.measure(), clock: Benchmarking.Clock.costNanoseconds))
    if plan.hasOpenLoops { Console.note(line(await PacingCost.measure())) }
    MachineConditions.current(since: times, cores: Host.usableCores).warnings
      .forEach(Console.note)
  }

  static func line(_ plan: RunPlan, _ destination: OutputDestination) -> String {
    let trials = NumberText.count(plan.trials.count, "trial")
    let sessions = plan.sessions == 1 ? "" : " in \(plan.sessions) sessions"
    let extra =
      plan.extraSeconds == 0
      ? ""
      : ", then up to \(NumberText.duration(seconds: plan.extraSeconds)) for what is undecided"
    let seconds = plan.estimatedSeconds + plan.searchSeconds
    return "\(trials)\(sessions)\(extra), about "
      + "\(NumberText.duration(seconds: seconds)); rows go to \(destination.name); "
      + "--seed \(plan.seed) repeats them"
  }

  static func line(_ cost: PacingCost) -> String {
    let (median, tail) = (cost.intended.p50Nanoseconds, cost.intended.p99Nanoseconds)
    return "open loop: waiting for due times adds "
      + "\(FigureUnit.nanoseconds.text(median)) in the median and "
      + "\(FigureUnit.nanoseconds.text(tail)) at p99 to its intended time"
  }

  static func line(_ cost: HarnessCost, clock: Double) -> String {
    let generic = NumberText.amount(cost.genericNanoseconds)
    let handWritten = NumberText.amount(cost.handWrittenNanoseconds)
    let difference = cost.genericNanoseconds - cost.handWrittenNanoseconds
    let side = difference < 0 ? "below" : "above"
    return "harness: \(NumberText.amount(abs(difference))) ns/op \(side) a hand-written loop "
      + "(\(generic) against \(handWritten)); reading the clock costs \(NumberText.amount(clock)) ns"
  }
}

/// The table of `--dry-run`: the contents of a plan and the estimated time.
struct PlanTable {
  let plan: RunPlan

  /// The plan as one block per collection.
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
        name: "\(kind.word)s",
        values: trials.filter { $0.contestant.kind == kind }
          .map(\.contestant.name).withoutRepetitions.sorted()
      )
    }
    let rows = trials.map(Self.row)
    let columns = Self.columns.map { column in
      (
        name: column,
        values: Self.sorted(rows.compactMap { MeasurementCSV.text(ofColumn: column, in: $0) })
      )
    }.filter { Self.defaults[$0.name] != $0.values }
    return (kinds + columns).filter { !$0.values.isEmpty }
  }

  /// The columns that may have several values in a plan.
  private static let columns = [
    "workload", "key_type", "value_type", "key_distribution", "driver", "threads", "entries",
    "trial",
    "warmup_seconds", "requested_seconds", "roles", "mode", "load_percent",
    "target_ops_per_second", "session",
  ]

  /// The default values, which the table omits.
  private static let defaults = ["driver": ["threads"], "mode": ["closed"], "session": ["1"]]

  /// Returns the values in order, numbers by value, without empty fields.
  private static func sorted(_ values: [String]) -> [String] {
    Set(values).subtracting([""]).sorted { one, other in
      if let one = Double(one), let other = Double(other) { return one < other }
      return one < other
    }
  }

  /// Returns the row of a trial before its measurement.
  private static func row(of trial: TrialSpecification) -> Measurement {
    Measurement(
      identity: .init(row: "-", kind: .subject, run: "-", timestamp: "-"),
      environment: .init(
        machine: "-", cores: 1, swift: "-", allocator: "-", buildConfiguration: "-"),
      configuration: trial.configuration, trial: trial.trial,
      throughput: .init(
        seconds: 0, operations: 0, nanosecondsPerOperation: 0, operationsPerSecond: 0))
  }
}
