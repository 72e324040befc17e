// The columns of a file of trials, each with its documentation. `docs/csv.md` is generated from it:
// a test prints the page, and fails if the committed page differs.

extension MeasurementCSV {
  /// Every column, the facts of sessions first; readers find columns by name.
  ///
  /// A new column is `orNil`, because older files lack it. `schema` rises only when the meaning of
  /// a column changes.
  static let columns = factColumns + rowColumns

  /// The columns of the rows, in the order in which they are written.
  static let rowColumns: [Column<Measurement>] = [
    identityColumns,
    configurationColumns,
    keyColumns.of(.keys),
    roleColumns.of(.roles),
    paceColumns.of(.openLoop),
    trialColumns,
    closedLoopColumns.of(.closedLoop),
    sleepColumns.of(.closedLoop, .ownThreads),
    schedulingColumns.of(.ownThreads),
    epochColumns.of(.epochs),
    byteColumns.of(.bytes),
    limboColumns.of(.bytes, .epochs),
    hardwareColumns.of(.counters),
    serviceColumns.of(.openLoop),
    intendedColumns.of(.openLoop),
  ].flatMap { $0 }

  /// The facts of a session, in the order in which its line has them. In files of earlier versions,
  /// they are columns of the rows.
  static let factColumns: [Column<Measurement>] = [
    Column(
      "schema", constant: MeasurementCSV.schema,
      "Version of the meanings of the columns. A new column does not change it."),
    Column(
      "machine", \.environment.machine, .text,
      """
      Label made of the processor, usable cores, memory and system, or the value of `--machine`. \
      Never the name of the host.
      """),
    Column(
      "cpu", \.environment.cpu, orNil: .text, "Model of the processor.",
      empty: WhenEmpty.unreported),
    Column(
      "cores", \.environment.cores, .positive,
      "Cores that the process may use, by affinity and cgroup quota."),
    Column(
      "host_cores", \.environment.hostCores, orNil: .positive, "Cores of the machine.",
      empty: WhenEmpty.unreported),
    Column(
      "os", \.environment.os, orNil: .text, "Name and version of the system.",
      empty: WhenEmpty.unreported),
    Column(
      "kernel", \.environment.kernel, orNil: .text,
      "System, release and architecture, as `uname -srm` prints them.", empty: WhenEmpty.unreported),
    Column("swift", \.environment.swift, .text, "Version of the compiler, such as `swift-6.3.1`."),
    Column(
      "mutex_flavor", \.environment.mutexFlavor, orNil: .text,
      """
      How `Synchronization.Mutex` blocks: `priority-inheritance` (Linux, up to Swift 6.3), \
      `adaptive` (Linux, from Swift 6.4), `unfair-lock` (Apple platforms).
      """,
      empty: WhenEmpty.unreported),
    Column(
      "allocator", \.environment.allocator, .text,
      "`jemalloc` or `system`. Bytes are counted with `jemalloc` only."),
    Column(
      "configuration", \.environment.buildConfiguration, .text,
      """
      `release` or `debug`, followed by the sanitizers and traits that cost time, as in \
      `release+InternalChecks`. Only `release` is fit for comparisons.
      """),
    Column(
      "commit", \.environment.commit, orNil: .text,
      "`g` and the hash of the commit, then `-dirty` if the sources differ from it.",
      empty: "outside a checkout"),
    Column(
      "warmup_seconds", \.trial.warmupSeconds, orNil: .amount, unit: "s",
      "Duration of the warm-up before the window.", empty: WhenEmpty.unknown),
    Column(
      "requested_seconds", \.trial.requestedSeconds, .amount, unit: "s",
      "Requested duration of the window."),
    Column(
      "plan", \.identity.plan, orNil: .text,
      "Identifier of the plan, in files of earlier versions.", empty: "in every new file"),
    Column(
      "shard", \.identity.shard, orNil: .text,
      "Fraction of the plan that the run made, such as `2-of-4`, in files of earlier versions.",
      empty: "in every new file"),
  ]

  private static let identityColumns: [Column<Measurement>] = [
    Column("row", \.identity.row, .text, "Identifier of the trial: the run and a number."),
    Column(
      "kind", \.identity.kind, .kind,
      "`subject` is a backend, `baseline` the empty loop, `peer` an alternative to the backends."),
    Column(
      "run", \.identity.run, .text,
      "Identifier of the run, which the rows of one `weakbench run` share."),
    Column(
      "session", \.trial.session, orNil: .positive,
      "Number of the session in the run, from 1; see `--sessions`. Called `fork` in older files.",
      empty: "in files older than the column, whose runs were one session"),
    Column(
      "timestamp", \.identity.timestamp, .text, unit: "ISO 8601, UTC", "End of the trial."),
  ]

  private static let configurationColumns: [Column<Measurement>] = [
    Column(
      "collection", \.configuration.collection, .text, "`weak-array`, `dictionary` or `weak-set`."),
    Column(
      "backend", \.configuration.backend, .text,
      "Name of the backend, baseline or peer; `weakbench list` prints them."),
    Column(
      "workload", \.configuration.workload, .text,
      """
      Name of the workload; `weakbench list` prints them. `custom` with `--mix`, `roles` with \
      `--roles`.
      """),
    Column(
      "read_share", \.configuration.shares.read, .percentage, unit: "%",
      "Share of reads in the mix. With roles, the mean of the workers' mixes."),
    Column(
      "insert_share", \.configuration.shares.insert, .percentage, unit: "%",
      "Share of inserts in the mix."),
    Column(
      "update_share", \.configuration.shares.update, .percentage, unit: "%",
      "Share of updates in the mix; in arrays and sets, of compactions."),
    Column(
      "remove_share", \.configuration.shares.remove, .percentage, unit: "%",
      "Share of removals in the mix."),
    Column(
      "iterate_share", \.configuration.shares.iterate, .percentage, unit: "%",
      "Share of snapshots and iterations in the mix."),
    Column(
      "value_type", \.configuration.valueType, orNil: .text,
      "Type of the values or elements, `Int` or `class`.", empty: WhenEmpty.unknown),
    Column(
      "driver", \.configuration.driver, .text,
      """
      What runs the workers: `threads` that the benchmark owns, `gcd`, a concurrent queue, or \
      `tasks`, Swift's global executor.
      """),
    Column("threads", \.configuration.threads, .positive, "Number of workers."),
    Column(
      "entries", \.configuration.entries, .count,
      "Requested number of entries in the collection. Called `size` in older files."),
  ]

  private static let keyColumns: [Column<Measurement>] = [
    Column(
      "key_type", \.configuration.keyType, orNil: .text,
      "Type of the keys, `Int` or `String`.", empty: "for arrays and sets"),
    Column(
      "key_distribution", \.configuration.keyDistribution, orNil: .text,
      "Distribution of the drawn keys, with its parameters, such as `zipfian:0.99`.",
      empty: "for arrays and sets, whose objects are drawn uniformly"),
  ]

  private static let roleColumns: [Column<Measurement>] = [
    Column(
      "roles", \.configuration.roles, orNil: .text,
      "Roles of the workers, such as `reader=3 writer=1`.",
      empty: "if all workers do the same")
  ]

  private static let paceColumns: [Column<Measurement>] = [
    Column(
      "mode", \.configuration.pace.mode, .mode,
      """
      `closed`: a worker starts an operation when its last one has ended. `open`: it starts an \
      operation when that is due.
      """,
      empty: "in older files, whose loops are closed"),
    Column(
      "target_ops_per_second", \.configuration.pace.targetOperationsPerSecond, orNil: .amount,
      unit: "1/s", "Rate at which operations are due, for all workers together.",
      empty: WhenEmpty.inClosedLoops),
    Column(
      "load_percent", \.configuration.pace.loadPercent, orNil: .positive, unit: "%",
      "Target as a share of the capacity that the run found.",
      empty: "in a closed loop, and if `--rate` set the target"),
  ]

  private static let trialColumns: [Column<Measurement>] = [
    Column(
      "seed", \.trial.seed, .seed,
      "Seed of the trial. `--seed` with the seed of a run repeats its trials."),
    Column(
      "trial", \.trial.number, .positive,
      "Number of the trial in its run and configuration, from 1."),
    Column(
      "seconds", \.throughput.seconds, .amount, unit: "s",
      "Duration of the window in which the operations of all workers were counted."),
    Column(
      "operations", \.throughput.operations, .count, "Operations of all workers in the window."),
    Column(
      "ns_per_op", \.throughput.nanosecondsPerOperation, .amount, unit: "ns",
      """
      Time per operation as one worker sees it: `seconds` × `threads` ÷ `operations`. In an open \
      loop it follows from the schedule, and is not to be compared.
      """),
    Column(
      "ops_per_second", \.throughput.operationsPerSecond, .amount, unit: "1/s",
      "Operations per second of all workers together."),
    Column(
      "latency_samples", \.latency.samples, orNil: .count,
      """
      Number of operations that were timed one by one. In a closed loop every *n*-th, so that \
      the clock takes at most a fiftieth of the time; in an open loop all. 0 if none was timed.
      """,
      empty: WhenEmpty.unknown),
    Column(
      "clock_ns", \.latency.clockNanoseconds, orNil: .amount, unit: "ns",
      "Cost of reading the clock, which every latency includes.", empty: WhenEmpty.unknown),
  ]

  private static let closedLoopColumns: [Column<Measurement>] = [
    Column(
      "p50_ns", \.latency.p50Nanoseconds, orNil: .amount, unit: "ns",
      "Median latency of the samples, to three digits, as the other percentiles.",
      empty: WhenEmpty.tooFewSamples),
    Column(
      "p90_ns", \.latency.p90Nanoseconds, orNil: .amount, unit: "ns",
      "90th percentile of the sampled latencies.", empty: WhenEmpty.tooFewSamples),
    Column(
      "p99_ns", \.latency.p99Nanoseconds, orNil: .amount, unit: "ns",
      "99th percentile of the sampled latencies.", empty: WhenEmpty.tooFewSamples),
    Column(
      "p999_ns", \.latency.p999Nanoseconds, orNil: .amount, unit: "ns",
      "99.9th percentile of the sampled latencies.", empty: WhenEmpty.tooFewSamples),
    Column(
      "max_ns", \.latency.maxNanoseconds, orNil: .amount, unit: "ns",
      "Maximum of the sampled latencies.", empty: WhenEmpty.noSamples),
    Column(
      "jain_index", \.contention.jainIndex, orNil: .amount,
      """
      Jain's fairness index of the workers' operations: 1 if all did the same number, \
      1 ÷ `threads` if one worker did all.
      """,
      empty: "with roles, and in an open loop"),
    Column(
      "max_to_min_operations", \.contention.maxToMinOperations, orNil: .amount,
      "Operations of the busiest worker, divided by those of the idlest.",
      empty: "with roles, in an open loop, and if a worker did none"),
  ]

  private static let sleepColumns: [Column<Measurement>] = [
    Column(
      "voluntary_switches_per_op", \.contention.voluntarySwitchesPerOperation, orNil: .amount,
      "Context switches of workers that blocked, per operation.",
      empty: "in an open loop, \(WhenEmpty.noUsage)"),
    Column(
      "lock_wait_share", \.contention.lockWaitShare, orNil: .amount, unit: "%",
      """
      Share of the workers' time in which they slept: elapsed time minus the time on a core and \
      the time ready to run. Workers sleep for a lock, a queue or an actor only. It excludes \
      spinning, and may include time that the host gave to other tenants.
      """,
      empty: "in an open loop, \(WhenEmpty.noUsage)"),
  ]

  private static let schedulingColumns: [Column<Measurement>] = [
    Column(
      "involuntary_switches_per_op", \.contention.involuntarySwitchesPerOperation, orNil: .amount,
      "Context switches of workers that the scheduler preempted, per operation.",
      empty: WhenEmpty.noUsage),
    Column(
      "run_queue_wait_ns_per_op", \.contention.runQueueWaitNanosecondsPerOperation,
      orNil: .amount, unit: "ns",
      """
      Time in which workers were ready to run but had no core, per operation, from the \
      scheduler's `schedstat`.
      """,
      empty: WhenEmpty.noUsage),
  ]

  private static let epochColumns: [Column<Measurement>] = [
    Column(
      "cas_failures_per_op", \.contention.casFailuresPerOperation, orNil: .amount,
      "Failed compare-exchange operations on the collection, per operation.",
      empty: "for all backends but `lock-free`, \(WhenEmpty.noUsage)"),
    Column(
      "epoch_advances_per_op", \.contention.reclamation.advancesPerOperation, orNil: .amount,
      "Advances of the epoch, per operation.", empty: WhenEmpty.noEpochs),
    Column(
      "failed_advances_per_op", \.contention.reclamation.failedAdvancesPerOperation,
      orNil: .amount,
      "Attempts to advance the epoch that a pinned thread made fail, per operation.",
      empty: WhenEmpty.noEpochs),
    Column(
      "limbo_peak_entries", \.contention.reclamation.limboPeakEntries, orNil: .count,
      unit: "entries",
      """
      Maximum of the entries that were retired and not yet reclaimed, from samples 10 ms apart; \
      the true maximum may be higher.
      """,
      empty: WhenEmpty.noEpochs),
  ]

  private static let byteColumns: [Column<Measurement>] = [
    Column(
      "allocated_bytes_per_op", \.bytes.allocatedPerOperation, orNil: .amount, unit: "B",
      """
      Bytes allocated on all threads per operation, in the allocator's size classes, including \
      the objects that the workload makes.
      """,
      empty: WhenEmpty.noBytes),
    Column(
      "freed_bytes_per_op", \.bytes.freedPerOperation, orNil: .amount, unit: "B",
      "Bytes freed on all threads per operation.", empty: WhenEmpty.noBytes),
    Column(
      "live_bytes_per_entry", \.bytes.livePerEntry, orNil: .amount, unit: "B",
      """
      Bytes of a collection with as many `entries`, per entry, including side tables of weak \
      references; objects, keys and the memory that values own are not in it.
      """,
      empty: WhenEmpty.spoiledBytes),
    Column(
      "peak_live_bytes", \.bytes.peakLive, orNil: .count, unit: "B",
      """
      Maximum of the live bytes at any allocation since the collection was made. In arrays, 64 to \
      128 KiB per worker are the benchmark's own queue of appended objects.
      """,
      empty: WhenEmpty.spoiledBytes),
  ]

  private static let limboColumns: [Column<Measurement>] = [
    Column(
      "limbo_bytes", \.bytes.limbo, orNil: .count, unit: "B",
      """
      Bytes that were retired and not yet reclaimed after the last operation of the byte phase: \
      live bytes then, minus live bytes after everything retired was reclaimed.
      """,
      empty: """
        for all backends but `lock-free` and `bucket-lock`, without jemalloc, in an open loop, \
        and if a pin of another thread delayed the reclamation
        """)
  ]

  private static let hardwareColumns: [Column<Measurement>] = [
    Column(
      "cycles_per_op", \.contention.hardware.cyclesPerOperation, orNil: .amount,
      "Processor cycles of the workers outside the kernel, per operation.",
      empty: WhenEmpty.noCounters),
    Column(
      "instructions_per_op", \.contention.hardware.instructionsPerOperation, orNil: .amount,
      "Instructions of the workers outside the kernel, per operation.",
      empty: WhenEmpty.noCounters),
    Column(
      "cache_misses_per_op", \.contention.hardware.cacheMissesPerOperation, orNil: .amount,
      "Misses of the last-level cache outside the kernel, per operation.",
      empty: WhenEmpty.noCounters),
  ]

  private static let serviceColumns: [Column<Measurement>] = [
    Column(
      "service_p50_ns", \.openLoop.service.p50Nanoseconds, orNil: .amount, unit: "ns",
      "Median time from an operation's start to its end, over all operations.",
      empty: WhenEmpty.tooFewOperations),
    Column(
      "service_p90_ns", \.openLoop.service.p90Nanoseconds, orNil: .amount, unit: "ns",
      "90th percentile of the service times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "service_p99_ns", \.openLoop.service.p99Nanoseconds, orNil: .amount, unit: "ns",
      "99th percentile of the service times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "service_p999_ns", \.openLoop.service.p999Nanoseconds, orNil: .amount, unit: "ns",
      "99.9th percentile of the service times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "service_p9999_ns", \.openLoop.service.p9999Nanoseconds, orNil: .amount, unit: "ns",
      "99.99th percentile of the service times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "service_max_ns", \.openLoop.service.maxNanoseconds, orNil: .amount, unit: "ns",
      "Maximum of the service times.", empty: WhenEmpty.inClosedLoops),
  ]

  private static let intendedColumns: [Column<Measurement>] = [
    Column(
      "intended_p50_ns", \.openLoop.intended.p50Nanoseconds, orNil: .amount, unit: "ns",
      "Median time from when an operation was due to its end, over all operations.",
      empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_p90_ns", \.openLoop.intended.p90Nanoseconds, orNil: .amount, unit: "ns",
      "90th percentile of the intended times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_p99_ns", \.openLoop.intended.p99Nanoseconds, orNil: .amount, unit: "ns",
      "99th percentile of the intended times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_p999_ns", \.openLoop.intended.p999Nanoseconds, orNil: .amount, unit: "ns",
      "99.9th percentile of the intended times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_p9999_ns", \.openLoop.intended.p9999Nanoseconds, orNil: .amount, unit: "ns",
      "99.99th percentile of the intended times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_max_ns", \.openLoop.intended.maxNanoseconds, orNil: .amount, unit: "ns",
      "Maximum of the intended times.", empty: WhenEmpty.inClosedLoops),
    Column(
      "backlog_operations", \.openLoop.backlog, orNil: .count,
      """
      Operations that were due and never started. They are in the intended times with their \
      wait until the end of the trial, so that those percentiles are then too low.
      """,
      empty: WhenEmpty.inClosedLoops),
  ]
}

/// Reasons for empty fields that several columns share.
enum WhenEmpty {
  static let unreported = "if the system does not report it"
  static let unknown = "if it is not known"
  static let noUsage = "with the drivers `gcd` and `tasks`, and if the system does not report it"
  static let noBytesOfRole = """
    \(uncounted), if the threads share no collection, and with the drivers `gcd` and `tasks`
    """
  static let noBytes = "\(uncounted), and if the threads share no collection"
  static let spoiledBytes = """
    \(uncounted), if the threads share no collection, and if another thread freed memory during \
    the phase
    """
  private static let uncounted = "without jemalloc, in an open loop, for maps of other languages"
  static let noEpochs = "for all backends but `lock-free` and `bucket-lock`"
  static let noCounters = """
    in an open loop, and where the host has no counters, as on most virtual machines
    """
  static let inClosedLoops = "in a closed loop"
  static let tooFewSamples = "in an open loop, and if fewer than ten samples lie beyond it"
  static let noSamples = "in an open loop, and without samples"
  static let tooFewOperations =
    "in a closed loop, and if fewer than ten operations lie beyond it"
}

extension FieldFormat<Measurement.Kind> {
  private static let kinds =
    "one of \(Measurement.Kind.allCases.map(\.rawValue).joined(separator: ", "))"

  static let kind = FieldFormat(
    type: kinds, expected: kinds, isRequired: true, text: \.rawValue,
    value: Measurement.Kind.init(rawValue:))
}

extension FieldFormat<Measurement.Mode> {
  private static let modes =
    "one of \(Measurement.Mode.allCases.map(\.rawValue).joined(separator: ", "))"

  /// An empty field means closed, because older files have no open loops.
  static let mode = FieldFormat(
    type: modes, expected: modes, isRequired: false, text: \.rawValue,
    value: { $0.isEmpty ? .closed : Measurement.Mode(rawValue: $0) })
}
