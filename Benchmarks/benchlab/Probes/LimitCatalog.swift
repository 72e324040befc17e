import Benchmarking
import Measurements
import WeakCollections
import Workloads

/// The figures that are measured for the limits, and the limits themselves.
enum LimitCatalog {
  /// The entries of a dictionary; some workloads fill only half of it.
  static let keys = 1024
  static let subject = Backend.lockFree.rawValue
  /// The key that all threads read in trials that read a single key.
  static let oneKey = 7
  /// The number of reads of that key between two readings of the clock.
  static let readsOfOneKey = 4096

  /// The tables of figures, in order.
  enum Table: String, CaseIterable, Sendable {
    case dictionary, threads
    case classValues = "class-values"
    case scans = "weak-array"
    case ownArrays = "own-arrays"
    case bytes, objects, harness, monitor, chooser

    /// The title: the measured code and the unit.
    var title: String {
      switch self {
      case .dictionary:
        "Dictionary from Int to Int, 1,024 keys, uniform, shared by 2 threads: "
          + "ns, all threads together"
      case .threads: "The same dictionary on other numbers of threads: ns, all threads together"
      case .classValues: "Class values, all threads reading one key: ns, all threads together"
      case .scans: "Weak array of 1,000 live elements, one thread: ns per element"
      case .ownArrays:
        "Weak arrays of 1,000, one per thread: ns per element, all threads together"
      case .bytes: "Memory: bytes"
      case .objects: "An object that weak arrays may track: ns"
      case .harness: "The cost of the benchmark itself: ns"
      case .monitor: "The leak monitor, one thread: ns per validation"
      case .chooser: "The chooser"
      }
    }
  }

  /// A dictionary workload, and the limit for which it is measured.
  struct DictionaryRow: Sendable {
    let limit: String
    let workload: Workload
  }

  static let dictionaryRows =
    [DictionaryRow(limit: "read-only", workload: dictionary("read-only"))]
    + [("writes-1", "one"), ("writes-10", "ten"), ("writes-50", "fifty")].flatMap { limit, share in
      ["replace", "turnover"].map { kind in
        DictionaryRow(limit: limit, workload: dictionary("\(kind)-\(share)"))
      }
    }

  static let readHeavy = dictionary("read-heavy")

  /// Returns the figure of one of `dictionaryRows` for a map of another language.
  static func dictionaryFigure(_ row: String, _ workload: Workload) -> Figure {
    .dictionary(row, workload.name)
  }

  static let bareLoop = "bare loop"
  static let unshared = "unshared"
  static let adaptive = "adaptive-lock"
  static let jdk = "jdk"

  static let readOnce = "read-only ×1"
  static let readHeavyTwice = "read-heavy ×2"
  static let readHeavyOver = "read-heavy ×8"
  static let classValueColumns = ["withValue ×1", "withValue ×2", "value ×1", "value ×2"]
  static let aloneColumns = ["forEach ×1", "forEach ×2", "append ×1", "append ×2"]
  static let bareColumns = ["forEach ×1", "forEach ×2"]
  static let bytesPerElement = "per live element"
  static let bytesOnObject = "left on an object"
  static let bytesLive = "live set with objects"
  static let bytesAfterChurn = "after a million appends"
  static let bytesPerPair = "per pair of Int"

  private static func dictionary(_ name: String) -> Workload {
    do {
      return try Workload.named(name, for: .dictionary)
    } catch {
      fatalError("the catalog of limits has an unknown workload: \(error)")
    }
  }
}

extension LimitCatalog {
  /// The requirements and targets, in the order of the report.
  static var limits: [Limit] {
    harnessLimits + dictionaryRows.flatMap(speedLimits) + oversubscriptionLimits + floorLimits
      + classValueLimits + weakArrayLimits + byteLimits + monitorLimits
  }

  /// The names of the limits, without repetitions.
  static var names: [String] {
    var names: [String] = []
    for limit in limits where !names.contains(limit.name) { names.append(limit.name) }
    return names
  }

  private static var harnessLimits: [Limit] {
    [
      Limit(
        "harness", "the benchmark's loop over a hand-written one, ns more",
        .difference(.figure(.harness("generic")), less: .figure(.harness("by hand"))),
        requirement: .atMost(1))
    ]
  }

  private static func speedLimits(_ row: DictionaryRow) -> [Limit] {
    let isWriting = row.limit == "writes-50"
    let references: [(String, requirement: Bound?, target: Bound?)] = [
      ("liburcu", isWriting ? nil : .above(1), nil), ("tbb", .above(1), nil),
      (adaptive, isWriting ? .above(1) : .atLeast(2), nil), (jdk, nil, .atLeast(1)),
    ]
    return references.map { reference, requirement, target in
      Limit(
        row.limit, "\(row.workload.name): \(subject) as fast as \(reference), times",
        .ratio(
          .figure(.dictionary(reference, row.workload.name)),
          to: .figure(.dictionary(subject, row.workload.name))),
        requirement: requirement, target: target)
    }
  }

  private static var oversubscriptionLimits: [Limit] {
    let twice = { (row: String) in Quantity.figure(.threads(row, readHeavyTwice)) }
    let over = { (row: String) in Quantity.figure(.threads(row, readHeavyOver)) }
    return [
      Limit(
        "oversubscription", "read-heavy: \(subject) on 8 threads, throughput over that on 2",
        .ratio(twice(subject), to: over(subject)), requirement: .atLeast(0.9), target: .atLeast(1)),
      Limit(
        "oversubscription", "read-heavy: \(adaptive) on 8 threads, cost over that on 2",
        .ratio(over(adaptive), to: twice(adaptive)), requirement: .atMost(2)),
    ]
  }

  private static var floorLimits: [Limit] {
    let once = { (row: String) in Quantity.figure(.threads(row, readOnce)) }
    let scaling = { (row: String) in
      Quantity.ratio(once(row), to: .figure(.dictionary(row, "read-only")))
    }
    return [
      Limit(
        "floor", "read-only: \(subject) on one thread over an unshared Dictionary, time",
        .ratio(once(subject), to: once(unshared)), requirement: .atMost(1)),
      Limit(
        "floor", "read-only: two threads of \(subject) scale as two private Dictionaries, times",
        .ratio(scaling(subject), to: scaling(unshared)), requirement: .atLeast(0.95)),
    ]
  }

  private static var classValueLimits: [Limit] {
    let values = { (column: String) in Quantity.figure(.classValue(subject, column)) }
    return [
      Limit(
        "class-values", "withValue: two threads on one key over one, throughput",
        .ratio(values("withValue ×1"), to: values("withValue ×2")), requirement: .atLeast(1.8)),
      Limit(
        "class-values", "value(forKey:), a copy: two threads on one key over one, throughput",
        .ratio(values("value ×1"), to: values("value ×2"))),
    ]
  }
}

extension LimitCatalog {
  static var weakArrayLimits: [Limit] {
    ["forEach", "all"].flatMap(scanLimits) + [appendLimit]
      + ["forEach", "append"].map { operation in
        Limit(
          "weak-array", "\(operation): two threads on two arrays over one, throughput",
          secondThread(of: subject, operation), requirement: .atLeast(1.9))
      } + [
        Limit(
          "weak-array", "a loop of tryRetain, release: two threads over one, throughput",
          secondThread(of: bareLoop, "forEach")), trackingLimit,
      ]
  }

  private static func secondThread(of row: String, _ operation: String) -> Quantity {
    .ratio(
      .figure(.alone(row, "\(operation) ×1")), to: .figure(.alone(row, "\(operation) ×2")))
  }

  private static func scanLimits(_ operation: String) -> [Limit] {
    let own = Quantity.figure(.scan(subject, operation))
    let addition = operation == "all" ? " and an array's append" : ""
    return [
      Limit(
        "weak-array", "\(operation): \(subject) over a loop of tryRetain, release\(addition), time",
        .ratio(own, to: .figure(.scan(bareLoop, operation))), requirement: .atMost(1.3)),
      Limit(
        "weak-array", "\(operation): \(subject) as fast as the published array, times",
        .ratio(.figure(.scan(published, operation)), to: own), requirement: .atLeast(4)),
    ]
  }

  private static var appendLimit: Limit {
    Limit(
      "weak-array", "append: \(subject), growth included, ns",
      .figure(.alone(subject, "append ×1")), requirement: .atMost(40))
  }

  private static var trackingLimit: Limit {
    Limit(
      "tracked", "retain + release: an object in a \(subject) array over one in none, time",
      .ratio(.figure(.object(subject)), to: .figure(.object("untracked"))),
      requirement: .atMost(1.1))
  }

  static var byteLimits: [Limit] {
    let own = { (column: String) in Quantity.figure(.bytes(subject, column)) }
    return [
      Limit(
        "bytes", "10,000 live elements: bytes per element", own(bytesPerElement),
        requirement: .atMost(12)),
      Limit(
        "bytes", "10,000 live elements: bytes on an object, after the array's death",
        own(bytesOnObject), requirement: .atMost(0)),
      Limit(
        "bytes", "bytes after 1,000,000 appends of short-lived objects over the live set's",
        .ratio(own(bytesAfterChurn), to: own(bytesLive)), requirement: .atMost(2)),
      Limit(
        "bytes", "100,000 pairs of Int: bytes per pair over Swift.Dictionary's",
        .ratio(own(bytesPerPair), to: .figure(.bytes(unshared, bytesPerPair))),
        requirement: .atMost(1.5)),
    ]
  }
}

// `MonitorProbes` and `ChooserProbe` have the probes of these limits.
extension LimitCatalog {
  /// The row of the monitor whose backend is the default choice.
  static let chosenMonitor = "chosen"
  static let chooser = "chooser"

  /// The situations in which a validation is measured: with fewer, as many or more live objects
  /// than `max`.
  enum Validation: String, CaseIterable, Sendable {
    case belowMax = "1,000 live, max 2,000"
    case belowMaxByCurrent = "the same by the static function"
    case manyClasses = "16 classes, one thread per core"
    case oldestDies = "max 1,000, the oldest dies"
    case anyDies = "max 1,000, any dies"
    case beyondMax = "1,000 live, max 500"
  }

  static func validation(_ row: String, _ column: Validation) -> Figure {
    Figure(Table.monitor.rawValue, row, column.rawValue)
  }

  static let validationWhileOff = Figure(Table.monitor.rawValue, "off", "validate, ns")
  /// The cost of a token, for a class with 1,000 live instances and no limit.
  static let token = Figure(
    Table.monitor.rawValue, "a token", "created and released, ns")
  static let storedWhileOff = Figure(Table.monitor.rawValue, "off", "stored")
  static let question = Figure(Table.chooser.rawValue, chooser, "a question, ns")
  static let questionBytes = Figure(Table.chooser.rawValue, chooser, "a question, bytes")

  static var monitorLimits: [Limit] {
    [
      Limit(
        "monitor", "validate with 1,000 live and max 2,000, ns",
        .figure(validation(chosenMonitor, .belowMax)), requirement: .atMost(250)),
      Limit(
        "monitor", "validate of 16 classes in turn by one thread per core, ns",
        .figure(validation(chosenMonitor, .manyClasses))),
      Limit(
        "monitor", "validate at max 1,000 after the oldest has died, its death included, ns",
        .figure(validation(chosenMonitor, .oldestDies))),
      Limit(
        "monitor", "validate at max 1,000 after any has died, its death included, ns",
        .figure(validation(chosenMonitor, .anyDies))),
      Limit(
        "monitor", "validate with 1,000 live and max 500, the report included, ns",
        .figure(validation(chosenMonitor, .beyondMax))),
      Limit(
        "monitor", "validate while it is off, ns", .figure(validationWhileOff),
        requirement: .atMost(2)),
      Limit("monitor", "a token created and released, ns", .figure(token)),
      Limit(
        "monitor", "instances stored while it is off", .figure(storedWhileOff),
        requirement: .atMost(0)),
      Limit("chooser", "a question, ns", .figure(question), requirement: .atMost(1000)),
      Limit(
        "chooser", "a question: bytes allocated", .figure(questionBytes), requirement: .atMost(0)),
    ]
  }
}

extension LimitCatalog {
  static let published = "published-queue"

  /// The measured dictionaries: those of the limits, others for comparison, and peers. Probes omit
  /// those that the build lacks.
  private static let dictionaryNames = [
    subject, "bucket-lock", adaptive, "striped-lock", Backend.mutex.rawValue, unshared, "tbb",
    "liburcu", "shared-mutex",
  ]
  private static let lockNames = [
    subject, "bucket-lock", adaptive, "striped-lock", Backend.mutex.rawValue,
  ]
  private static let arrayNames = [subject, "copy-on-write", Backend.mutex.rawValue, published]

  /// Returns all probes of this build, without repetitions.
  static func probes(_ timing: LimitTiming) -> [LimitProbe] {
    [.harness] + dictionaryProbes(timing) + threadProbes(timing) + arrayProbes(timing)
      + byteProbes
  }

  private static func dictionaryProbes(_ timing: LimitTiming) -> [LimitProbe] {
    dictionaryRows.flatMap { row in
      contestants(dictionaryNames, .dictionary).map { contestant in
        let limits = row.limit == "read-only" ? ["read-only", "floor"] : [row.limit]
        return .trial(
          contestant, row.workload, threads: 2,
          figure: .dictionary(contestant.name, row.workload.name), for: limits, timing)
      }
    }
  }

  private static func threadProbes(_ timing: LimitTiming) -> [LimitProbe] {
    let readOnly = dictionaryRows[0].workload
    let alone = contestants([subject, "bucket-lock", unshared], .dictionary).map { contestant in
      LimitProbe.trial(
        contestant, readOnly, threads: 1, figure: .threads(contestant.name, readOnce),
        for: ["floor"], timing)
    }
    let many = contestants(lockNames, .dictionary).flatMap { contestant in
      [(2, readHeavyTwice), (8, readHeavyOver)].map { threads, column in
        LimitProbe.trial(
          contestant, readHeavy, threads: threads, figure: .threads(contestant.name, column),
          for: ["oversubscription"], timing)
      }
    }
    let values = contestants([subject, "bucket-lock", Backend.mutex.rawValue], .dictionary)
      .map { LimitProbe.classValues($0, timing) }
    return alone + many + values
  }

  private static func arrayProbes(_ timing: LimitTiming) -> [LimitProbe] {
    let subjects = contestants(arrayNames, .weakArray)
    return subjects.map { .scan($0, includesBareLoops: $0.name == subject, timing) }
      + subjects.filter { $0.name == subject }.flatMap { contestant in
        [
          .alone(LockFreeWeakArray<Member>.self, named: subject, timing),
          .tracking(contestant, timing),
        ]
      }
  }

  private static var byteProbes: [LimitProbe] {
    contestants([subject, Backend.mutex.rawValue, published], .weakArray)
      .map(LimitProbe.arrayBytes)
      + contestants([subject, "bucket-lock", Backend.mutex.rawValue, unshared], .dictionary)
      .map(LimitProbe.dictionaryBytes)
  }

  private static func contestants(
    _ names: [String], _ collection: CollectionKind
  ) -> [Contestant] {
    names.compactMap { Contestant.named($0, for: collection) }
  }
}
