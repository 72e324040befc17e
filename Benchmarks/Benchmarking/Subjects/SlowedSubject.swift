import Measurements
import Threading
import WeakCollections

/// A contestant with a known slowdown, to test whether comparisons detect it.
///
/// It is in no list, and no option selects it, so that it cannot appear in a user's rows. Only
/// `benchlab verdicts` runs trials of it.
extension Contestant {
  /// The prefix of the names: the backend whose code runs, followed by the percentage.
  private static let prefix = "mutex-plus-"
  /// The allowed slowdowns, in percent of an operation's time.
  package static let allowedSlowdowns = 0...1000

  /// Returns the dictionary behind a mutex, slowed down by `percent`.
  ///
  /// A slowdown of 0 runs the same code as any other.
  ///
  /// - Parameter percent: A number in `allowedSlowdowns`; any other traps.
  package static func slowed(byPercent percent: Int) -> Contestant {
    guard allowedSlowdowns.contains(percent) else {
      fatalError("the slowdown must be 0 to 1000 percent, got \(percent)")
    }
    return Contestant(
      kind: .subject, collection: .dictionary, name: "\(prefix)\(percent)",
      typeName: "MutexDictionary", design: .slowed(percent: percent))
  }

  /// Returns the slowed contestant called `name`, or `nil` for any other name.
  static func slowed(named name: String, for collection: CollectionKind) -> Contestant? {
    guard collection == .dictionary, name.hasPrefix(prefix),
      let percent = Int(name.dropFirst(prefix.count)), allowedSlowdowns.contains(percent)
    else { return nil }
    return slowed(byPercent: percent)
  }

  /// The slowdown; 0 for all other contestants.
  var slowdownPercent: Int {
    if case .slowed(let percent) = design { percent } else { 0 }
  }
}

extension DictionarySubject<IntegerEntries> {
  /// Creates a subject whose workers make a fraction of their operations twice and count them once.
  ///
  /// The relative slowdown is therefore known, independent of the cost of an operation.
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

/// A worker that repeats the given percentage of its operations, evenly distributed.
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
