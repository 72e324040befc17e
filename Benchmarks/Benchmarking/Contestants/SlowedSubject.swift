import Measurements
import Threading
import WeakCollections

/// A contestant with a planted slowdown, to try whether it is found. It is in no list, and no option names
/// it, so that it cannot come into anybody's rows; `weakbench verdicts` alone makes trials of it.
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

/// A subject whose workers make some operations twice and count them once: a slowdown by a known part,
/// whatever an operation costs.
struct SlowedSubject<S: TrialSubject>: TrialSubject {
  private var subject: S
  private let percent: Int

  init(_ specification: TrialSpecification) {
    subject = S(specification)
    percent = specification.contestant.slowdownPercent
  }

  mutating func start() { subject.start() }

  func fill(_ count: Int) async { await subject.fill(count) }

  func empty() async { await subject.empty() }

  func worker(at index: Int, prefilled: Int) -> SlowedWorker<S.Worker> {
    SlowedWorker(subject.worker(at: index, prefilled: prefilled), percent: percent)
  }

  func verify(_ workers: [SlowedWorker<S.Worker>]) async -> String? {
    await subject.verify(workers.map(\.worker))
  }

  var census: Census? { subject.census }
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
