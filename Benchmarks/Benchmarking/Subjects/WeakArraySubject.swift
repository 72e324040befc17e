import Primitives
import Threading
import WeakCollections
import Workloads

/// A weak array of `Member`s under trial, of any type.
struct WeakArraySubject: TrialSubject {
  /// An array, and a factory of workers that are specialized for its type.
  private struct Started: Sendable {
    let array: any ConcurrentWeakArray<Member> & Sendable
    let makeWorker: @Sendable (WeakArrayWork) -> AnyWorker
  }

  private let specification: TrialSpecification
  private let inputs: [WorkerInput]
  /// The objects by key, alive during the whole trial.
  private let members: Table<Member>
  private let population: LifetimeCounter
  private let makeArray: @Sendable () -> Started
  private var started: Started?

  init<A: ConcurrentWeakArray & Sendable>(of type: A.Type, _ specification: TrialSpecification)
  where A.Element == Member {
    self.specification = specification
    makeArray = {
      let array = A()
      return Started(array: array) { AnyWorker(WeakArrayWorker(array: array, $0)) }
    }
    inputs = WorkerInput.all(for: specification)
    let lifetimes = LifetimeCounter(workers: specification.threads)
    population = lifetimes
    let range = specification.workload.keyRange(forSize: specification.size)
    members = Table(
      (0..<max(range, specification.size)).map { _ in Member(lifetimes.tallies[0]) })
  }

  var lifetimes: LifetimeCounter? { population }

  private var array: any ConcurrentWeakArray<Member> & Sendable { started!.array }

  mutating func start() {
    started = makeArray()
  }

  /// Adds `count` entries; dead ones, if the workload has any, are evenly distributed.
  func fill(_ count: Int) async {
    let live = specification.workload.live(ofSize: count)
    var doomed: [Member] = []
    for place in 0..<count {
      // The number of live entries so far is proportional to their share.
      let index = place * live / count
      if (place + 1) * live / count > index {
        await array.append(members[index])
      } else {
        doomed.append(Member(population.tallies[0]))
        await array.append(doomed[doomed.count - 1])
      }
    }
  }

  func empty() async {
    await array.removeAll()
  }

  func worker(at index: Int, prefilled: Int) -> AnyWorker {
    let workload = specification.workload
    let threads = specification.threads
    let limit = workload.entryLimit(forSize: specification.size)
    let keeps = max(1, specification.size / threads)
    let work = WeakArrayWork(
      input: inputs[index], members: members, workload: workload.work(ofWorker: index),
      entryLimit: limit ?? .max,
      room: (limit ?? 0) + max(prefilled, keeps) + OperationSchedule.defaultLength * 2,
      keeps: keeps, tally: population.tallies[index])
    // A worker that releases its objects does not remove any, so it gets none of the prefilled
    // ones.
    let owners = (0..<threads).filter { workload.work(ofWorker: $0).behavior != .churning }
    let live = workload.live(ofSize: prefilled)
    let place = owners.firstIndex(of: index) ?? live
    for member in stride(from: place, to: live, by: max(1, owners.count)) {
      work.ring.append(members[member])
    }
    return started!.makeWorker(work)
  }

  func verify(_ findings: [WorkerFindings]) async -> String? {
    let dead = findings.reduce(0) { $0 + $1.deadElements }
    if dead > 0 { return "\(dead) dead elements were returned" }
    let missed = findings.reduce(0) { $0 + $1.missedRemovals }
    if specification.workload.entryLimit(forSize: specification.size) != nil {
      return await verifyFromEmpty()
    }
    let misses = findings.reduce(0) { $0 + $1.misses }
    if specification.workload.findsEverything && misses > 0 {
      return "\(misses) elements were not found"
    }
    if missed > 0 { return "\(missed) removals did not find an element that was appended" }
    var expected: [ObjectIdentifier: Int] = [:]
    for member in findings.flatMap(\.owned) { expected[ObjectIdentifier(member), default: 0] += 1 }
    var found: [ObjectIdentifier: Int] = [:]
    for member in await array.all { found[ObjectIdentifier(member), default: 0] += 1 }
    if found == expected { return nil }
    let expectedCount = expected.values.reduce(0, +)
    let foundCount = found.values.reduce(0, +)
    return "expected \(expectedCount) elements, found \(foundCount) or other ones"
  }

  /// Checks an emptied and refilled array.
  ///
  /// The workers emptied the array concurrently, so the expected state after the trial is unknown.
  private func verifyFromEmpty() async -> String? {
    await array.removeAll()
    let left = await array.count
    if left > 0 { return "\(left) elements are left after removeAll" }
    let count = min(100, specification.size)
    await fill(count)
    let found = await array.all
    let isRight = found.count == count && found.indices.allSatisfy { found[$0] === members[$0] }
    return isRight ? nil : "the elements are not those appended, in order"
  }
}

/// The data of a weak array's worker, independent of the array's type.
private struct WeakArrayWork: Sendable {
  var input: WorkerInput
  let members: Table<Member>
  let behavior: Workload.Behavior
  let entryLimit: Int
  let keeps: Int
  let tally: LifetimeCounter.Tally
  /// The objects that this worker appended and has not removed, oldest first; it keeps them alive.
  let ring: Ring<Member>

  init(
    input: WorkerInput, members: Table<Member>, workload: Workload, entryLimit: Int, room: Int,
    keeps: Int, tally: LifetimeCounter.Tally
  ) {
    self.input = input
    self.members = members
    self.entryLimit = entryLimit
    self.keeps = keeps
    self.tally = tally
    behavior = workload.behavior
    ring = Ring(capacity: room)
  }
}

/// One worker of a weak array's trial.
private struct WeakArrayWorker<A: ConcurrentWeakArray & Sendable>: TrialWorker
where A.Element == Member {
  private let array: A
  private var input: WorkerInput
  private let members: Table<Member>
  private let behavior: Workload.Behavior
  private let entryLimit: Int
  private let keeps: Int
  private let tally: LifetimeCounter.Tally
  private let ring: Ring<Member>
  private var insertsSinceEmptied = 0
  private var deadElements = 0
  private var missedRemovals = 0
  private var misses = 0

  init(array: A, _ work: WeakArrayWork) {
    self.array = array
    input = work.input
    members = work.members
    behavior = work.behavior
    entryLimit = work.entryLimit
    keeps = work.keeps
    tally = work.tally
    ring = work.ring
  }

  var findings: WorkerFindings {
    WorkerFindings(
      misses: misses, deadElements: deadElements, missedRemovals: missedRemovals,
      owned: ring.all)
  }

  @inline(__always)
  mutating func operate() async {
    let key = input.nextKey()
    switch input.nextOperation() {
    case .read:
      if await !array.contains(members[key]) { misses += 1 }
    case .insert: await insert(key)
    case .update: consume(await array.compact())
    case .remove: await remove()
    case .iterate: await iterate()
    }
  }

  @inline(__always)
  private mutating func insert(_ key: Int) async {
    switch behavior {
    case .churning, .monitoring, .dying:
      await appendNew()
      if behavior == .monitoring { consume(await array.count) }
      if ring.count > keeps { _ = ring.popFirst() }
    case .storming:
      await appendNew()
      if ring.count >= keeps { ring.removeAll() }
    case .reregistering: await reregister()
    default:
      consume(await array.append(members[key]))
      insertsSinceEmptied += 1
      if insertsSinceEmptied >= entryLimit {
        await emptyArray()
      } else {
        ring.append(members[key])
      }
    }
  }

  @inline(__always)
  private func appendNew() async {
    let member = Member(tally)
    consume(await array.append(member))
    ring.append(member)
  }

  private mutating func reregister() async {
    guard let member = ring.popFirst() else { return }
    if await !array.remove(member) { missedRemovals += 1 }
    consume(await array.append(member))
    ring.append(member)
  }

  private mutating func emptyArray() async {
    insertsSinceEmptied = 0
    ring.removeAll()
    await array.removeAll()
  }

  @inline(__always)
  private mutating func remove() async {
    guard let member = ring.popFirst() else { return }
    if await !array.remove(member) { missedRemovals += 1 }
  }

  private mutating func iterate() async {
    var dead = 0
    switch behavior {
    case .notifying:
      await array.forEach { member in dead += member.isAlive() ? 0 : 1 }
    case .dying:
      var victims = ring.count > keeps / 2 ? 1 : 0
      await array.forEach { [ring] member in
        dead += member.isAlive() ? 0 : 1
        // Like a delegate that releases another object in its callback.
        if victims > 0 { _ = ring.popFirst() }
        victims = 0
      }
    default:
      let all = await array.all
      for member in all { dead += member.isAlive() ? 0 : 1 }
    }
    deadElements += dead
  }
}

extension WeakArraySubject {
  /// Returns a factory of subjects with the contestant's weak array.
  static func factory(for contestant: Contestant) async throws -> SubjectFactory {
    try await contestant.withWeakArray(Visitor())
  }

  private struct Visitor: WeakArrayVisitor {
    typealias Element = Member

    func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async -> SubjectFactory
    where A.Element == Member {
      { WeakArraySubject(of: A.self, $0) }
    }
  }
}
