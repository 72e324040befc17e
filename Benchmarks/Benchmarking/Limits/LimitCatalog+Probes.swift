import Measurements
import WeakCollections
import Workloads

extension LimitCatalog {
  static let published = "published-queue"

  /// Whose dictionaries are timed: what decides, what is printed beside it, and peers. Those that this
  /// build does not have are left out.
  private static let dictionaryNames = [
    subject, "bucket-lock", adaptive, "striped-lock", Backend.mutex.rawValue, unshared, "tbb",
    "liburcu", "shared-mutex",
  ]
  private static let lockNames = [
    subject, "bucket-lock", adaptive, "striped-lock", Backend.mutex.rawValue,
  ]
  private static let arrayNames = [subject, "copy-on-write", Backend.mutex.rawValue, published]

  /// All that this build can measure, each once.
  public static func probes(_ timing: LimitTiming) -> [LimitProbe] {
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
    return subjects.map { .scan($0, baring: $0.name == subject, timing) }
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
