extension Workload {
  /// Returns every named workload for `subject`, in the order of `weakbench list`.
  public static func all(for subject: WorkloadSubject) -> [Workload] {
    switch subject {
    case .weakArray: standard(for: subject) + weakArrayLifetimes
    case .dictionary: standard(for: subject) + dictionaryLimits + ycsb
    case .weakSet: standard(for: subject)
    }
  }

  /// Returns the workloads that `weakbench run` measures if `--workload` is not given.
  public static func standard(for subject: WorkloadSubject) -> [Workload] {
    switch subject {
    case .weakArray: weakArrays
    case .dictionary: dictionaries
    case .weakSet: weakSets
    }
  }

  /// Returns the workload called `name` for `subject`.
  ///
  /// - Throws: `WorkloadError.unknownWorkload`, whose description suggests near misses.
  public static func named(
    _ name: String, for subject: WorkloadSubject
  ) throws(WorkloadError) -> Workload {
    guard let workload = all(for: subject).first(where: { $0.name == name }) else {
      throw .unknownWorkload(name, subject: subject)
    }
    return workload
  }

  /// Returns the abstract types that have a workload called `name`; empty for an unknown name.
  public static func subjects(named name: String) -> [WorkloadSubject] {
    WorkloadSubject.allCases.filter { subject in
      all(for: subject).contains { $0.name == name }
    }
  }

  /// The named workloads for weak arrays.
  static let weakArrays = [
    weakArray("read-only", .shares(read: 100), "Only looks for objects."),
    weakArray(
      "read-heavy", .shares(read: 98, insert: 1, remove: 1),
      "Looks for objects; seldom adds or removes one."),
    weakArray(
      "mixed", .shares(read: 90, insert: 5, remove: 5),
      "Looks for objects; every tenth operation writes."),
    weakArray(
      "exchange", .shares(read: 10, insert: 40, remove: 40, iterate: 10),
      "Adds and removes objects, with some looking."),
    weakArray(
      "snapshot-heavy", .shares(insert: 5, remove: 5, iterate: 90),
      "Takes snapshots of all objects; seldom adds or removes one."),
    weakArray(
      "append-heavy", .shares(read: 5, insert: 90, iterate: 5),
      "Appends objects that stay alive."),
    weakArray(
      "rapid-grow", .shares(read: 5, insert: 90, remove: 5),
      "Grows from empty, again and again.", .growing),
    weakArray(
      "churn", .shares(read: 10, insert: 80, update: 1, iterate: 9),
      "Appends objects while others die; seldom compacts.", .churning),
    weakArray(
      "delegate-notify", .shares(insert: 1, remove: 1, iterate: 98),
      "Calls a method of every object, as for a list of delegates.", .notifying),
    weakArray(
      "leak-monitor", .shares(insert: 100),
      "Appends a short-lived object and counts, as a leak monitor does.", .monitoring),
  ]

  private static func weakArray(
    _ name: String, _ mix: OperationMix, _ summary: String, _ behavior: Behavior = .steady,
    deadShare: Int = 0
  ) -> Workload {
    Workload(
      name, subject: .weakArray, mix: mix, behavior: behavior, deadShare: deadShare,
      summary: summary)
  }

  /// The named workloads for dictionaries.
  static let dictionaries = [
    dictionary("read-only", .shares(read: 100), "Only looks up keys, which are all there."),
    dictionary(
      "read-heavy", .shares(read: 98, insert: 1, remove: 1),
      "Looks up keys; seldom sets or removes one."),
    dictionary(
      "mixed", .shares(read: 90, insert: 5, remove: 5),
      "Looks up keys; every tenth operation writes."),
    dictionary(
      "exchange", .shares(read: 10, insert: 40, update: 10, remove: 40),
      "Sets, removes and updates keys, with some looking up."),
    dictionary(
      "rapid-grow", .shares(read: 5, insert: 80, update: 10, remove: 5),
      "Grows from empty with new keys, again and again.", .growing),
    dictionary(
      "get-or-insert", .shares(insert: 95, remove: 5),
      "Gets values and inserts those that are missing, as a cache does.", .gettingOrInserting),
    dictionary(
      "leak-monitor", .shares(update: 100),
      "Gets or inserts a type's entry, adds one and counts, as a leak monitor does.", .monitoring),
  ]

  /// Reads with 1, 10 or 50 % of writes, which replace values or set and remove keys.
  static let dictionaryLimits = [("one", 1), ("ten", 10), ("fifty", 50)].flatMap { word, writes in
    let mix = OperationMix.shares(read: 100 - writes, insert: writes)
    return [
      dictionary(
        "replace-\(word)", mix, "Looks up keys, which are all there; \(writes) % set new values.",
        .replacing),
      dictionary(
        "turnover-\(word)", mix,
        "Looks up keys, half of which are there; \(writes) % set and remove, in turn.", .turningOver
      ),
    ]
  }

  private static func dictionary(
    _ name: String, _ mix: OperationMix, _ summary: String, _ behavior: Behavior = .steady
  ) -> Workload {
    Workload(name, subject: .dictionary, mix: mix, behavior: behavior, summary: summary)
  }

  /// The named workloads for weak sets.
  static let weakSets = [
    weakSet("read-only", .shares(read: 100), "Only looks for objects."),
    weakSet(
      "mixed", .shares(read: 90, insert: 5, remove: 5),
      "Looks for objects; every tenth operation writes."),
    weakSet(
      "exchange", .shares(read: 10, insert: 45, remove: 45),
      "Adds and removes objects, with some looking."),
    weakSet(
      "snapshot-heavy", .shares(insert: 5, remove: 5, iterate: 90),
      "Takes snapshots of all objects; seldom adds or removes one."),
    weakSet(
      "churn", .shares(read: 10, insert: 90),
      "Inserts objects while others die; removes none.", .churning),
    weakSet(
      "leak-monitor", .shares(insert: 100),
      "Inserts short-lived objects of 16 classes, one set per class, as a leak monitor does.",
      .monitoring),
  ]

  private static func weakSet(
    _ name: String, _ mix: OperationMix, _ summary: String, _ behavior: Behavior = .steady
  ) -> Workload {
    Workload(name, subject: .weakSet, mix: mix, behavior: behavior, summary: summary)
  }

  /// The workloads for weak arrays whose elements die: before the clock starts, one by one, or all
  /// of a worker's together.
  static let weakArrayLifetimes =
    [("ten", 10), ("fifty", 50), ("ninety", 90)].map { word, share in
      weakArray(
        "dead-\(word)", .shares(read: 50, iterate: 50),
        "Looks for objects and takes snapshots; \(share) % of the entries are dead.",
        deadShare: share)
    }
    + [("one", 1), ("ten", 10), ("fifty", 50)].map { word, drops in
      weakArray(
        "drop-\(word)", .shares(read: 90 - drops, insert: drops, iterate: 10),
        "Looks for objects; \(drops) % of the operations append one while another dies.",
        .churning)
    } + [
      weakArray(
        "drop-storm", .shares(read: 10, insert: 80, update: 1, iterate: 9),
        "As churn, but now and then all objects of a worker die together.", .storming),
      weakArray(
        "re-register", .shares(insert: 50, iterate: 50),
        "Removes objects and appends them again, between snapshots.", .reregistering),
      weakArray(
        "iterate-dying", .shares(insert: 50, iterate: 50),
        "Calls a method of every object; one of them dies during each pass.", .dying),
    ]

  /// YCSB's core workloads, on one dictionary instead of a store of records.
  ///
  /// A record is a value. YCSB's update sets a new value; the read-modify-write of F is `update`.
  /// D and E remove the oldest key for each new key, so the number of entries stays constant.
  /// A hash table has no order to scan: E instead gets in one call as many keys as YCSB scans on
  /// average.
  static let ycsb = [
    ycsb(
      "a", .shares(read: 50, insert: 50), .replacing,
      "Update heavy: half of all operations set values."
    ),
    ycsb(
      "b", .shares(read: 95, insert: 5), .replacing,
      "Read mostly: one operation in twenty sets a value."),
    ycsb("c", .shares(read: 100), .steady, "Read only."),
    ycsb(
      "d", .shares(read: 95, insert: 5), .sliding,
      "Read latest: looks up what was inserted last, and inserts new keys.",
      .latest(theta: KeyDistribution.standardTheta)),
    ycsb(
      "e", .shares(insert: 5, iterate: 95), .sliding,
      "Short ranges: gets \(keysOfScan) adjacent keys in one call, in place of a scan."),
    ycsb(
      "f", .shares(read: 50, update: 50), .steady,
      "Read-modify-write: half of all operations are `update`."),
  ]

  /// The number of keys that one iteration of YCSB's workload E gets.
  ///
  /// A scan in YCSB has 1 to 100 records, uniformly distributed.
  public static let keysOfScan = 50

  private static func ycsb(
    _ letter: String, _ mix: OperationMix, _ behavior: Behavior, _ summary: String,
    _ keys: KeyDistribution = .scrambledZipfian(theta: KeyDistribution.standardTheta)
  ) -> Workload {
    Workload(
      "ycsb-\(letter)", subject: .dictionary, mix: mix, behavior: behavior, keys: keys,
      summary: summary)
  }
}
