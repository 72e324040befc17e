import Measurements
import Threading
import WeakCollections

/// A contestant with a planted slowdown, to try whether it is found. It is in no list, and no option names
/// it, so that it cannot come into anybody's rows; `benchlab verdicts` alone makes trials of it.
extension Contestant {
  /// How a planted slowdown is called after whose code it runs.
  private static let prefix = "mutex-plus-"
  /// In percent of an operation's time.
  public static let allowedSlowdowns = 0...1000

  /// The dictionary behind a mutex, slowed by so many percent. By none it runs through the same code.
  ///
  /// - Precondition: the percentage is one of `allowedSlowdowns`.
  public static func slowed(byPercent percent: Int) -> Contestant {
    precondition(allowedSlowdowns.contains(percent), "a slowdown is from 0 to 1000 percent")
    return Contestant(
      kind: .subject, collection: .dictionary, name: "\(prefix)\(percent)",
      typeName: "MutexDictionary", design: .slowed(percent: percent))
  }

  /// `nil` for any other name.
  static func slowed(named name: String, for collection: CollectionKind) -> Contestant? {
    guard collection == .dictionary, name.hasPrefix(prefix),
      let percent = Int(name.dropFirst(prefix.count)), allowedSlowdowns.contains(percent)
    else { return nil }
    return slowed(byPercent: percent)
  }

  /// 0 for all others.
  var slowdownPercent: Int {
    if case .slowed(let percent) = design { percent } else { 0 }
  }
}

extension DictionarySubject<IntegerEntries> {
  /// A subject whose workers make some operations twice and count them once: a slowdown by a known part,
  /// whatever an operation costs.
  init(slowed specification: TrialSpecification) {
    self.init(specification) {
      let dictionary = MutexDictionary<Int, Int>()
      return Started(dictionary: dictionary) { entries, input, specification in
        let worker = DictionaryWorker(
          dictionary: dictionary, entries: entries, input: input, specification)
        let percent = specification.contestant.slowdownPercent
        return AnyWorker(SlowedWorker(worker, percent: percent))
      }
    }
  }
}

/// Of a hundred operations it makes so many twice, evenly spread.
struct SlowedWorker<W: TrialWorker>: TrialWorker {
  private(set) var worker: W
  private let percent: Int
  private var debt = 0

  init(_ worker: W, percent: Int) {
    self.worker = worker
    self.percent = percent
  }

  var findings: WorkerFindings { worker.findings }

  @inline(__always)
  mutating func operate() async {
    await worker.operate()
    debt += percent
    while debt >= 100 {
      debt -= 100
      await worker.operate()
    }
  }
}
