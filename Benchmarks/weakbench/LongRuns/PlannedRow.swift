import BenchmarkCommands
import Benchmarking
import Measurements

/// What is known of a row before it is measured: which trial of a plan it is.
///
/// What a load comes to is not: a capacity is found when the trials are made.
struct PlannedRow: Hashable {
  let configuration: Measurement.Configuration
  let trial: Measurement.Trial

  init(_ specification: TrialSpecification) {
    self.init(specification.configuration, specification.trial)
  }

  init(_ row: Measurement) {
    self.init(row.configuration, row.trial)
  }

  private init(_ configuration: Measurement.Configuration, _ trial: Measurement.Trial) {
    self.configuration = configuration.withoutFoundTarget
    self.trial = trial
  }

  /// As a row has it, in the columns that are known.
  func text(ofColumn name: String) -> String? {
    MeasurementCSV.text(ofColumn: name, in: row)
  }

  /// The columns in which the rows of two plans may differ, most telling first.
  static let columns = [
    "seed", "collection", "workload", "backend", "threads", "size", "requested_seconds",
    "warmup_seconds", "trial", "key_type", "value_type", "key_distribution", "driver",
    "fork", "mode", "load_percent", "target_ops_per_second",
  ]

  /// A row in which nothing else is measured or known.
  private var row: Measurement {
    Measurement(
      identity: .init(row: "-", kind: .subject, run: "-", timestamp: "-"),
      environment: .init(
        machine: "-", cores: 1, swift: "-", allocator: "-", buildConfiguration: "-"),
      configuration: configuration, trial: trial,
      throughput: .init(
        seconds: 0, operations: 0, nanosecondsPerOperation: 0, operationsPerSecond: 0))
  }

  /// Everything that is known, as text.
  var line: String { MeasurementCSV.line(for: row) }
}

extension Measurement.Configuration {
  /// The same before the capacity was found that its target is a share of.
  fileprivate var withoutFoundTarget: Measurement.Configuration {
    var configuration = self
    if pace.loadPercent != nil { configuration.pace.targetOperationsPerSecond = nil }
    return configuration
  }
}

extension Measurement.Environment {
  /// The columns that say of what source, with what and on how many cores rows were measured: rows of one
  /// plan agree in them, whichever machines its shards are run on.
  static let planColumns = [
    "commit", "swift", "mutex_flavor", "allocator", "configuration", "cores",
  ]
}
