/// Measurements as CSV by RFC 4180: a header, and one row for each trial.
///
/// Written with LF between lines, as Unix tools expect; read with any line end. An empty field was
/// not measured. Reading a number gives the same value back.
public enum MeasurementCSV {
  /// The version of the columns' meanings. It rises only when one changes.
  public static let schema = 1

  /// The names of the columns, in the order in which they are written.
  public static var columnNames: [String] { columns.map(\.name) }

  /// The first line of a file, without its line end.
  public static var header: String { columnNames.joined(separator: ",") }

  /// One row, without its line end; it spans lines if a text in it does.
  ///
  /// - Precondition: `invalidColumn(in:)` is `nil`.
  public static func line(for measurement: Measurement) -> String {
    if let name = invalidColumn(in: measurement) {
      preconditionFailure(
        "the value of '\(name)' in row \(measurement.identity.row) cannot be written as CSV; "
          + "check invalidColumn(in:) first")
    }
    return columns.map { field($0.text(measurement)) }.joined(separator: ",")
  }

  /// A whole file.
  public static func text(of measurements: [Measurement]) -> String {
    ([header] + measurements.map(line)).map { $0 + "\n" }.joined()
  }

  /// The first column whose value is not allowed: a negative or infinite number, a seed of 2⁵³ or
  /// more, an empty text, or a text that a spreadsheet would take for a number, such as `6.3`.
  public static func invalidColumn(in measurement: Measurement) -> String? {
    columns.first { !$0.isWritable(measurement) }?.name
  }

  /// A text as one field, in quotation marks where it needs them.
  public static func field(_ text: String) -> String {
    // Spaces at either end are part of a field, but not every reader knows.
    let isPlain =
      !text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
      && text.first != " " && text.last != " "
    guard !isPlain else { return text }
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"\(parts.joined(separator: "\"\""))\""
  }

  /// The text of one column of a row; `nil` if there is no such column.
  public static func text(ofColumn name: String, in measurement: Measurement) -> String? {
    columns.first { $0.name == name }?.text(measurement)
  }

  /// The names in the first line of a file, known or not.
  ///
  /// Appending is safe only if they are exactly `columnNames`.
  public static func columnNames(in text: String) throws(ResultsError) -> [String] {
    var parser = CSVParser(text)
    guard let header = try parser.next() else { throw .empty }
    return header.fields.map(\.text)
  }

  /// All rows of a file, or none and the error where it is damaged.
  ///
  /// Columns are found by name, in any order. Unknown ones are ignored, and those that may be empty
  /// may be missing, so that files of every version are read.
  public static func measurements(in text: String) throws(ResultsError) -> [Measurement] {
    var parser = CSVParser(text)
    guard let header = try parser.next() else { throw .empty }
    let reader = try RowReader(columns, header: header.fields.map(\.text), into: .unread)
    var measurements: [Measurement] = []
    var rows: Set<String> = []
    while let record = try parser.next() {
      let measurement = try reader.row(in: record)
      guard rows.insert(measurement.identity.row).inserted else {
        throw .duplicateRow(measurement.identity.row, line: record.line)
      }
      measurements.append(measurement)
    }
    return measurements
  }
}

extension MeasurementCSV {
  /// Every column, in the order in which they are written; readers go by name.
  ///
  /// New ones go to the end and may be missing, so they are `orNil`. `schema` rises only when the
  /// meaning of a column changes.
  static let columns: [Column<Measurement>] = [
    Column("schema", constant: MeasurementCSV.schema),
    Column("row", \.identity.row, .text),
    Column("kind", \.identity.kind, .kind),
    Column("run", \.identity.run, .text),
    Column("timestamp", \.identity.timestamp, .text),

    Column("machine", \.environment.machine, .text),
    Column("cpu", \.environment.cpu, orNil: .text),
    Column("cores", \.environment.cores, .positive),
    Column("host_cores", \.environment.hostCores, orNil: .positive),
    Column("os", \.environment.os, orNil: .text),
    Column("kernel", \.environment.kernel, orNil: .text),
    Column("swift", \.environment.swift, .text),
    Column("mutex_flavor", \.environment.mutexFlavor, orNil: .text),
    Column("allocator", \.environment.allocator, .text),
    Column("configuration", \.environment.buildConfiguration, .text),
    Column("commit", \.environment.commit, orNil: .text),

    Column("collection", \.configuration.collection, .text),
    Column("backend", \.configuration.backend, .text),
    Column("workload", \.configuration.workload, .text),
    Column("read_share", \.configuration.shares.read, .percentage),
    Column("insert_share", \.configuration.shares.insert, .percentage),
    Column("update_share", \.configuration.shares.update, .percentage),
    Column("remove_share", \.configuration.shares.remove, .percentage),
    Column("iterate_share", \.configuration.shares.iterate, .percentage),
    Column("key_type", \.configuration.keyType, orNil: .text),
    Column("value_type", \.configuration.valueType, orNil: .text),
    Column("key_distribution", \.configuration.keyDistribution, orNil: .text),
    Column("driver", \.configuration.driver, .text),
    Column("threads", \.configuration.threads, .positive),
    Column("size", \.configuration.size, .count),

    Column("seed", \.trial.seed, .seed),
    Column("trial", \.trial.number, .positive),
    Column("warmup_seconds", \.trial.warmupSeconds, orNil: .amount),
    Column("requested_seconds", \.trial.requestedSeconds, .amount),

    Column("seconds", \.throughput.seconds, .amount),
    Column("operations", \.throughput.operations, .count),
    Column("ns_per_op", \.throughput.nanosecondsPerOperation, .amount),
    Column("ops_per_second", \.throughput.operationsPerSecond, .amount),

    Column("latency_samples", \.latency.samples, orNil: .count),
    Column("clock_ns", \.latency.clockNanoseconds, orNil: .amount),
    Column("p50_ns", \.latency.p50Nanoseconds, orNil: .amount),
    Column("p90_ns", \.latency.p90Nanoseconds, orNil: .amount),
    Column("p99_ns", \.latency.p99Nanoseconds, orNil: .amount),
    Column("p999_ns", \.latency.p999Nanoseconds, orNil: .amount),
    Column("max_ns", \.latency.maxNanoseconds, orNil: .amount),

    Column("jain_index", \.contention.jainIndex, orNil: .amount),
    Column("voluntary_switches_per_op", \.contention.voluntarySwitchesPerOperation, orNil: .amount),
    Column(
      "involuntary_switches_per_op", \.contention.involuntarySwitchesPerOperation, orNil: .amount),
    Column("cas_failures_per_op", \.contention.casFailuresPerOperation, orNil: .amount),

    Column("allocated_bytes_per_op", \.bytes.allocatedPerOperation, orNil: .amount),
    Column("freed_bytes_per_op", \.bytes.freedPerOperation, orNil: .amount),
    Column("live_bytes_per_entry", \.bytes.livePerEntry, orNil: .amount),
    Column("peak_live_bytes", \.bytes.peakLive, orNil: .count),

    Column(
      "run_queue_wait_ns_per_op", \.contention.runQueueWaitNanosecondsPerOperation, orNil: .amount),
    Column("lock_wait_share", \.contention.lockWaitShare, orNil: .amount),
    Column("max_to_min_operations", \.contention.maxToMinOperations, orNil: .amount),
    Column(
      "epoch_advances_per_op", \.contention.reclamation.advancesPerOperation, orNil: .amount),
    Column(
      "failed_advances_per_op", \.contention.reclamation.failedAdvancesPerOperation, orNil: .amount),
    Column("limbo_peak_entries", \.contention.reclamation.limboPeakEntries, orNil: .count),
    Column("cycles_per_op", \.contention.hardware.cyclesPerOperation, orNil: .amount),
    Column("instructions_per_op", \.contention.hardware.instructionsPerOperation, orNil: .amount),
    Column("cache_misses_per_op", \.contention.hardware.cacheMissesPerOperation, orNil: .amount),

    Column("fork", \.trial.fork, orNil: .positive),
    Column("plan", \.identity.plan, orNil: .text),
    Column("shard", \.identity.shard, orNil: .text),
    Column("roles", \.configuration.roles, orNil: .text),

    Column("mode", \.configuration.pace.mode, .mode),
    Column(
      "target_ops_per_second", \.configuration.pace.targetOperationsPerSecond, orNil: .amount),
    Column("load_percent", \.configuration.pace.loadPercent, orNil: .positive),
    Column("service_p50_ns", \.openLoop.service.p50Nanoseconds, orNil: .amount),
    Column("service_p90_ns", \.openLoop.service.p90Nanoseconds, orNil: .amount),
    Column("service_p99_ns", \.openLoop.service.p99Nanoseconds, orNil: .amount),
    Column("service_p999_ns", \.openLoop.service.p999Nanoseconds, orNil: .amount),
    Column("service_p9999_ns", \.openLoop.service.p9999Nanoseconds, orNil: .amount),
    Column("service_max_ns", \.openLoop.service.maxNanoseconds, orNil: .amount),
    Column("intended_p50_ns", \.openLoop.intended.p50Nanoseconds, orNil: .amount),
    Column("intended_p90_ns", \.openLoop.intended.p90Nanoseconds, orNil: .amount),
    Column("intended_p99_ns", \.openLoop.intended.p99Nanoseconds, orNil: .amount),
    Column("intended_p999_ns", \.openLoop.intended.p999Nanoseconds, orNil: .amount),
    Column("intended_p9999_ns", \.openLoop.intended.p9999Nanoseconds, orNil: .amount),
    Column("intended_max_ns", \.openLoop.intended.maxNanoseconds, orNil: .amount),
    Column("backlog_operations", \.openLoop.backlog, orNil: .count),
    Column("limbo_bytes", \.bytes.limbo, orNil: .count),
  ]
}

extension FieldFormat<Measurement.Kind> {
  static let kind = FieldFormat(
    expected: "one of \(Measurement.Kind.allCases.map(\.rawValue).joined(separator: ", "))",
    isRequired: true, text: \.rawValue, value: Measurement.Kind.init(rawValue:))
}

extension FieldFormat<Measurement.Mode> {
  /// Nothing is closed: older files know no other.
  static let mode = FieldFormat(
    expected: "one of \(Measurement.Mode.allCases.map(\.rawValue).joined(separator: ", "))",
    isRequired: false, text: \.rawValue,
    value: { $0.isEmpty ? .closed : Measurement.Mode(rawValue: $0) })
}

extension Measurement {
  /// The value that a row is read into.
  static let unread = Measurement(
    identity: Identity(row: "", kind: .subject, run: "", timestamp: ""),
    environment: Environment(
      machine: "", cores: 0, swift: "", allocator: "", buildConfiguration: ""),
    configuration: Configuration(
      collection: "", backend: "", workload: "",
      shares: Shares(read: 0, insert: 0, update: 0, remove: 0, iterate: 0), driver: "",
      threads: 0, size: 0),
    trial: Trial(seed: 0, number: 0, requestedSeconds: 0),
    throughput: Throughput(
      seconds: 0, operations: 0, nanosecondsPerOperation: 0, operationsPerSecond: 0))
}
