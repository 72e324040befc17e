extension Column {
  /// Every column, in the order in which they are written; readers go by name.
  ///
  /// New ones go to the end and may be missing, so they are `orNil`. `schema` rises only when the
  /// meaning of a column changes.
  static let table: [Column] = [
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
  ]
}
