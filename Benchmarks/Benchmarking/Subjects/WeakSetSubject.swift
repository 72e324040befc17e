import Primitives
import Threading
import WeakCollections
import Workloads

/// A weak set of `Member`s under trial, or several of them.
struct WeakSetSubject<W: ConcurrentWeakSet & Sendable>: TrialSubject where W.Element == Member {
  private let specification: TrialSpecification
  private let inputs: [WorkerInput]
  /// The objects that keys stand for; alive throughout.
  private let members: Table<Member>
  private let population: Census
  /// Operations are on the first, but where the workload says that objects go to all.
  private var sets: [W] = []

  init(_ specification: TrialSpecification) {
    self.specification = specification
    inputs = WorkerInput.all(for: specification)
    let census = Census(workers: specification.threads)
    population = census
    let range = specification.workload.keyRange(forSize: specification.size)
    members = Table(
      (0..<max(range, specification.size)).map { _ in Member(census.tallies[0]) })
  }

  var census: Census? { population }

  mutating func start() {
    sets = (0..<specification.workload.collectionCount).map { _ in W() }
  }

  func fill(_ count: Int) async {
    for index in 0..<count { await sets[0].insert(members[index]) }
  }

  func empty() async {
    for set in sets { await set.removeAll() }
  }

  func worker(at index: Int, prefilled: Int) -> WeakSetWorker<W> {
    WeakSetWorker(
      sets: Table(sets), input: inputs[index], members: members,
      workload: specification.workload.work(ofWorker: index),
      keeps: max(1, specification.size / specification.threads), tally: population.tallies[index])
  }

  /// What was inserted and not removed must be there, with what was there first; each object once.
  func verify(_ workers: [WeakSetWorker<W>]) async -> String? {
    let dead = workers.reduce(0) { $0 + $1.deadElements }
    if dead > 0 { return "\(dead) dead elements were returned" }
    let misses = workers.reduce(0) { $0 + $1.misses }
    if specification.workload.findsEverything && misses > 0 {
      return "\(misses) elements were not found"
    }
    var found: [Member] = []
    for set in sets { found += await set.all }
    if Set(found.map(ObjectIdentifier.init)).count < found.count {
      return "an object is there twice"
    }
    let kept = workers.reduce(0) { $0 + $1.kept.count }
    let expected = specification.prefill + workers.reduce(0) { $0 + $1.balance } + kept
    return found.count == expected
      ? nil : "\(expected) elements should be there, \(found.count) are"
  }
}

/// One worker of a weak set's trial.
struct WeakSetWorker<W: ConcurrentWeakSet & Sendable>: TrialWorker where W.Element == Member {
  private let set: W
  /// All sets, of which `set` is the first: new objects go to each as often.
  private let sets: Table<W>
  private var input: WorkerInput
  private let members: Table<Member>
  private let makesObjects: Bool
  private let collectionCount: Int
  private let keeps: Int
  private let tally: Census.Tally
  /// The objects that this worker made and keeps alive, oldest first.
  private let ring: Ring<Member>
  /// Drawn objects that it inserted, less those that it removed.
  private(set) var balance = 0
  private(set) var deadElements = 0
  /// Reads that found nothing.
  private(set) var misses = 0

  init(
    sets: Table<W>, input: WorkerInput, members: Table<Member>, workload: Workload, keeps: Int,
    tally: Census.Tally
  ) {
    set = sets[0]
    self.sets = sets
    self.input = input
    self.members = members
    self.keeps = keeps
    self.tally = tally
    makesObjects = [.churning, .monitoring].contains(workload.behaviour)
    collectionCount = workload.collectionCount
    ring = Ring(capacity: keeps + 1)
  }

  var kept: [Member] { ring.all }

  @inline(__always)
  mutating func operate() async {
    let key = input.nextKey()
    switch input.nextOperation() {
    case .read:
      if await !set.contains(members[key]) { misses += 1 }
    case .insert: await insert(key)
    case .update: consume(await set.compact())
    case .remove:
      if await set.remove(members[key]) { balance -= 1 }
    case .iterate:
      for member in await set.all where !member.isAlive() { deadElements += 1 }
    }
  }

  @inline(__always)
  private mutating func insert(_ key: Int) async {
    guard makesObjects else {
      if await set.insert(members[key]).inserted { balance += 1 }
      return
    }
    let member = Member(tally)
    consume(await sets[key % collectionCount].insert(member).entries)
    ring.append(member)
    if ring.count > keeps { _ = ring.popFirst() }
  }
}
