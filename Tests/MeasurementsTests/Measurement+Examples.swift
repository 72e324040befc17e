import Measurements

extension Measurement {
  /// A row where every column has a value of its own.
  static let complete = Measurement(
    identity: Identity(
      row: "run-1-17", kind: .subject, run: "run-1", timestamp: "2026-08-01T12:34:56Z",
      plan: "plan-2fa9", shard: "2-of-4"),
    environment: Environment(
      machine: "epyc-2c", cpu: "AMD EPYC", cores: 2, hostCores: 64, os: "Debian 12",
      kernel: "Linux 6.18", swift: "swift-6.3.1", mutexFlavor: "pi-futex", allocator: "jemalloc",
      buildConfiguration: "release", commit: "g42cc03a9-dirty"),
    configuration: Configuration(
      collection: "dictionary", backend: "lock-free", workload: "custom",
      shares: Shares(read: 40, insert: 30, update: 15, remove: 10, iterate: 5), keyType: "Int",
      valueType: "Object", keyDistribution: "uniform", driver: "threads", threads: 8, entries: 1024,
      pace: Pace(mode: .open, targetOperationsPerSecond: 2.5e7, loadPercent: 70),
      roles: "reader=6 writer=2"),
    trial: Trial(
      seed: (1 << 53) - 1, number: 3, warmupSeconds: 0.1, requestedSeconds: 0.5, session: 2),
    throughput: Throughput(
      seconds: 0.500_000_123, operations: 12_345_678,
      nanosecondsPerOperation: 324.000_079_704_006_5,
      operationsPerSecond: 2.469_135e7),
    latency: Latency(
      samples: 12_056, clockNanoseconds: 22.5, p50Nanoseconds: 41, p90Nanoseconds: 97.5,
      p99Nanoseconds: 1e3, p999Nanoseconds: 2.5e4, maxNanoseconds: 1e17),
    contention: Contention(
      jainIndex: 0.987_654_321, voluntarySwitchesPerOperation: 1e-7,
      involuntarySwitchesPerOperation: 0.1 + 0.2, casFailuresPerOperation: 0,
      runQueueWaitNanosecondsPerOperation: 12.5, lockWaitShare: 33.25, maxToMinOperations: 1.5,
      reclamation: Reclamation(
        advancesPerOperation: 0.015_625, failedAdvancesPerOperation: 0.001, limboPeakEntries: 384),
      hardware: Hardware(
        cyclesPerOperation: 61.5, instructionsPerOperation: 88.75, cacheMissesPerOperation: 0.75)),
    bytes: Bytes(
      allocatedPerOperation: 64, freedPerOperation: 63.99, livePerEntry: 48.25, peakLive: 1 << 40,
      limbo: 6144),
    openLoop: OpenLoop(
      service: Percentiles(
        p50Nanoseconds: 42, p90Nanoseconds: 98.5, p99Nanoseconds: 1001, p999Nanoseconds: 2.6e4,
        p9999Nanoseconds: 3e4, maxNanoseconds: 4e4),
      intended: Percentiles(
        p50Nanoseconds: 55, p90Nanoseconds: 5e4, p99Nanoseconds: 6e4, p999Nanoseconds: 7e4,
        p9999Nanoseconds: 8e4, maxNanoseconds: 9e4),
      backlog: 3))

  /// The same without anything that may be left out.
  static let sparse = Measurement(
    identity: Identity(
      row: "run-1-18", kind: .baseline, run: "run-1", timestamp: "2026-08-01T12:34:57Z"),
    environment: Environment(
      machine: "epyc-2c", cores: 2, swift: "swift-6.3.1", allocator: "system",
      buildConfiguration: "debug"),
    configuration: Configuration(
      collection: "weak-array", backend: "empty-loop", workload: "read-only",
      shares: Shares(read: 100, insert: 0, update: 0, remove: 0, iterate: 0), driver: "threads",
      threads: 1, entries: 64),
    trial: Trial(seed: 0, number: 1, requestedSeconds: 1),
    throughput: Throughput(seconds: 1, operations: 1000, threads: 1)!)

  /// A trial of `backend` that took so long an operation.
  static func trial(
    _ number: Int, of backend: String, nanosecondsPerOperation: Double,
    kind: Kind = .subject, entries: Int = 1024
  ) -> Measurement {
    var measurement = complete
    measurement.configuration.pace = .closed
    measurement.identity.row = "\(backend)-\(entries)-\(number)"
    measurement.identity.kind = kind
    measurement.configuration.backend = backend
    measurement.configuration.entries = entries
    measurement.trial = Trial(seed: UInt64(number), number: number, requestedSeconds: 1)
    measurement.throughput.nanosecondsPerOperation = nanosecondsPerOperation
    measurement.throughput.operationsPerSecond = 1e9 / nanosecondsPerOperation
    return measurement
  }
}

/// A file of earlier versions: a column for each fact of a session, and for each part of a row.
enum OlderFile {
  static let header =
    "schema,row,kind,run,timestamp,machine,cpu,cores,host_cores,os,"
    + "kernel,swift,mutex_flavor,allocator,configuration,commit,collection,backend,workload,"
    + "read_share,insert_share,update_share,remove_share,iterate_share,key_type,value_type,"
    + "key_distribution,driver,threads,entries,seed,trial,warmup_seconds,requested_seconds,"
    + "seconds,operations,ns_per_op,ops_per_second,latency_samples,clock_ns,p50_ns,p90_ns,"
    + "p99_ns,p999_ns,max_ns,jain_index,voluntary_switches_per_op,"
    + "involuntary_switches_per_op,cas_failures_per_op,allocated_bytes_per_op,"
    + "freed_bytes_per_op,live_bytes_per_entry,peak_live_bytes,"
    + "run_queue_wait_ns_per_op,lock_wait_share,max_to_min_operations,"
    + "epoch_advances_per_op,failed_advances_per_op,limbo_peak_entries,"
    + "cycles_per_op,instructions_per_op,cache_misses_per_op,session,plan,shard,roles,"
    + "mode,target_ops_per_second,"
    + "load_percent,service_p50_ns,service_p90_ns,service_p99_ns,service_p999_ns,"
    + "service_p9999_ns,service_max_ns,intended_p50_ns,intended_p90_ns,intended_p99_ns,"
    + "intended_p999_ns,intended_p9999_ns,intended_max_ns,backlog_operations,limbo_bytes"

  static func text(of measurements: [Measurement]) -> String {
    let columns = header.split(separator: ",").map(String.init)
    let rows = measurements.map { row in
      columns.map { MeasurementCSV.field(MeasurementCSV.text(ofColumn: $0, in: row)!) }
        .joined(separator: ",")
    }
    return ([header] + rows).map { $0 + "\n" }.joined()
  }
}

/// A file of earlier versions as a grid, to take columns out of, move and damage.
struct Grid {
  var rows: [[String]]

  /// Only for texts without quotation marks.
  init(of measurements: [Measurement]) {
    rows = OlderFile.text(of: measurements).split(separator: "\n").map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }

  var text: String { rows.map { $0.joined(separator: ",") + "\n" }.joined() }

  func position(of column: String) -> Int { rows[0].firstIndex(of: column)! }

  subscript(row: Int, column: String) -> String {
    get { rows[row][position(of: column)] }
    set { rows[row][position(of: column)] = newValue }
  }

  mutating func remove(_ column: String) {
    let position = position(of: column)
    for row in rows.indices { rows[row].remove(at: position) }
  }
}
