import Primitives
import Threading
import WeakCollections
import Workloads

/// One or several weak sets of `Member`s under trial, of any type.
struct WeakSetSubject: TrialSubject {
  /// The sets, and a factory of workers that are specialized for their type.
  private struct Started: Sendable {
    let sets: [any ConcurrentWeakSet<Member> & Sendable]
    let makeWorker: @Sendable (WeakSetWork) -> AnyWorker
  }

  private let specification: TrialSpecification
  private let inputs: [WorkerInput]
  /// The objects by key, alive during the whole trial.
  private let members: Table<Member>
  let lifetimes: LifetimeCounter?
  private let tallies: [LifetimeCounter.Tally]
  private let makeSets: @Sendable () -> Started
  private var started: Started?

  init<W: ConcurrentWeakSet & Sendable>(of type: W.Type, _ specification: TrialSpecification)
  where W.Element == Member {
    self.specification = specification
    let count = specification.workload.collectionCount
    makeSets = {
      let sets = (0..<count).map { _ in W() }
      return Started(sets: sets) { AnyWorker(WeakSetWorker(sets: Table(sets), $0)) }
    }
    inputs = WorkerInput.all(for: specification)
    let lifetimes = LifetimeCounter(workers: specification.threads)
    self.lifetimes = lifetimes
    tallies = lifetimes.tallies
    members = Table(for: specification, tallies[0])
  }

  /// The sets; all operations use the first, except insertions of a workload with several.
  private var sets: [any ConcurrentWeakSet<Member> & Sendable] { started!.sets }

  mutating func start() {
    started = makeSets()
  }

  func fill(_ count: Int) async {
    for index in 0..<count { await sets[0].insert(members[index]) }
  }

  func empty() async {
    for set in sets { await set.removeAll() }
  }

  func worker(at index: Int, prefilled: Int) -> AnyWorker {
    let work = specification.workload.work(ofWorker: index)
    let keeps = max(1, specification.entries / specification.threads)
    return started!.makeWorker(
      WeakSetWork(
        input: inputs[index], members: members,
        makesObjects: [.churning, .monitoring].contains(work.behavior),
        collectionCount: work.collectionCount, keeps: keeps, tally: tallies[index],
        ring: Ring(capacity: keeps + 1)))
  }

  /// Checks that the sets contain the prefilled and inserted objects that were not removed, each
  /// once.
  func verify(_ findings: [WorkerFindings]) async -> String? {
    if let reason = findings.wrongResult(in: specification.workload) { return reason }
    var found: [Member] = []
    for set in sets { found += await set.all }
    if Set(found.map(ObjectIdentifier.init)).count < found.count {
      return "the sets contain an object twice"
    }
    let kept = findings.total(\.owned.count)
    let expected = specification.prefill + findings.total(\.balance) + kept
    return found.count == expected ? nil : "expected \(expected) elements, found \(found.count)"
  }
}

/// The data of a weak set's worker, independent of the sets' type.
private struct WeakSetWork: Sendable {
  var input: WorkerInput
  let members: Table<Member>
  let makesObjects: Bool
  let collectionCount: Int
  let keeps: Int
  let tally: LifetimeCounter.Tally
  /// The objects that this worker created and keeps alive, oldest first.
  let ring: Ring<Member>
}

/// One worker of a weak set's trial.
private struct WeakSetWorker<W: ConcurrentWeakSet & Sendable>: TrialWorker
where W.Element == Member {
  private let set: W
  /// All sets, the first of which is `set`; new objects are distributed equally.
  private let sets: Table<W>
  private var work: WeakSetWork
  private var balance = 0
  private var deadElements = 0
  private var misses = 0

  init(sets: Table<W>, _ work: WeakSetWork) {
    set = sets[0]
    self.sets = sets
    self.work = work
  }

  var findings: WorkerFindings {
    WorkerFindings(
      misses: misses, deadElements: deadElements, balance: balance, owned: work.ring.all)
  }

  @inline(__always)
  mutating func operate() async {
    let key = work.input.nextKey()
    switch work.input.nextOperation() {
    case .read:
      if await !set.contains(work.members[key]) { misses += 1 }
    case .insert: await insert(key)
    case .update: consume(await set.compact())
    case .remove:
      if await set.remove(work.members[key]) { balance -= 1 }
    case .iterate:
      for member in await set.all where !member.isAlive() { deadElements += 1 }
    }
  }

  @inline(__always)
  private mutating func insert(_ key: Int) async {
    guard work.makesObjects else {
      if await set.insert(work.members[key]).inserted { balance += 1 }
      return
    }
    let member = Member(work.tally)
    consume(await sets[key % work.collectionCount].insert(member).entries)
    work.ring.append(member)
    if work.ring.count > work.keeps { _ = work.ring.popFirst() }
  }
}

extension WeakSetSubject {
  /// Returns a factory of subjects with the contestant's weak sets.
  static func factory(for contestant: Contestant) async throws -> SubjectFactory {
    try await contestant.withWeakSet(Visitor())
  }

  private struct Visitor: WeakSetVisitor {
    typealias Element = Member

    func visit<W: ConcurrentWeakSet & Sendable>(_ type: W.Type) async -> SubjectFactory
    where W.Element == Member {
      { WeakSetSubject(of: W.self, $0) }
    }
  }
}
