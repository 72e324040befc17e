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
  let lifetimes: LifetimeCounter?
  private let tallies: [LifetimeCounter.Tally]
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
    self.lifetimes = lifetimes
    tallies = lifetimes.tallies
    members = Table(for: specification, tallies[0])
  }

  private var array: any ConcurrentWeakArray<Member> & Sendable { started!.array }

  mutating func start() {
    started = makeArray()
  }

  /// Adds `count` entries; dead ones, if the workload has any, are evenly distributed.
  func fill(_ count: Int) async {
    let live = specification.workload.live(ofEntries: count)
    var doomed: [Member] = []
    for place in 0..<count {
      // The number of live entries so far is proportional to their share.
      let index = place * live / count
      if (place + 1) * live / count > index {
        await array.append(members[index])
      } else {
        doomed.append(Member(tallies[0]))
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
    let limit = workload.entryLimit(forEntries: specification.entries)
    let keeps = max(1, specification.entries / threads)
    let work = WeakArrayWork(
      input: inputs[index], members: members, behavior: workload.work(ofWorker: index).behavior,
      entryLimit: limit ?? .max, keeps: keeps, tally: tallies[index],
      ring: Ring(
        capacity: (limit ?? 0) + max(prefilled, keeps) + OperationSchedule.defaultLength * 2))
    // A worker that releases its objects does not remove any, so it gets none of the prefilled
    // ones.
    let owners = (0..<threads).filter { workload.work(ofWorker: $0).behavior != .churning }
    let live = workload.live(ofEntries: prefilled)
    let place = owners.firstIndex(of: index) ?? live
    for member in stride(from: place, to: live, by: max(1, owners.count)) {
      work.ring.append(members[member])
    }
    return started!.makeWorker(work)
  }

  func verify(_ findings: [WorkerFindings]) async -> String? {
    if let reason = findings.wrongResult(in: specification.workload) { return reason }
    if specification.workload.entryLimit(forEntries: specification.entries) != nil {
      return await verifyFromEmpty()
    }
    let missed = findings.total(\.missedRemovals)
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
    let count = min(100, specification.entries)
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
}

/// One worker of a weak array's trial.
private struct WeakArrayWorker<A: ConcurrentWeakArray & Sendable>: TrialWorker
where A.Element == Member {
  private let array: A
  private var work: WeakArrayWork
  private var insertsSinceEmptied = 0
  private var deadElements = 0
  private var missedRemovals = 0
  private var misses = 0

  init(array: A, _ work: WeakArrayWork) {
    self.array = array
    self.work = work
  }

  var findings: WorkerFindings {
    WorkerFindings(
      misses: misses, deadElements: deadElements, missedRemovals: missedRemovals,
      owned: work.ring.all)
  }

  @inline(__always)
  mutating func operate() async {
    let key = work.input.nextKey()
    switch work.input.nextOperation() {
    case .read:
      if await !array.contains(work.members[key]) { misses += 1 }
    case .insert: await insert(key)
    case .update: consume(await array.compact())
    case .remove: await remove()
    case .iterate: await iterate()
    }
  }

  @inline(__always)
  private mutating func insert(_ key: Int) async {
    switch work.behavior {
    case .churning, .monitoring, .dying:
      await appendNew()
      if work.behavior == .monitoring { consume(await array.count) }
      if work.ring.count > work.keeps { _ = work.ring.popFirst() }
    case .storming:
      await appendNew()
      if work.ring.count >= work.keeps { work.ring.removeAll() }
    case .reregistering: await reregister()
    default:
      consume(await array.append(work.members[key]))
      insertsSinceEmptied += 1
      if insertsSinceEmptied >= work.entryLimit {
        await emptyArray()
      } else {
        work.ring.append(work.members[key])
      }
    }
  }

  @inline(__always)
  private func appendNew() async {
    let member = Member(work.tally)
    consume(await array.append(member))
    work.ring.append(member)
  }

  private mutating func reregister() async {
    guard let member = work.ring.popFirst() else { return }
    if await !array.remove(member) { missedRemovals += 1 }
    consume(await array.append(member))
    work.ring.append(member)
  }

  private mutating func emptyArray() async {
    insertsSinceEmptied = 0
    work.ring.removeAll()
    await array.removeAll()
  }

  @inline(__always)
  private mutating func remove() async {
    guard let member = work.ring.popFirst() else { return }
    if await !array.remove(member) { missedRemovals += 1 }
  }

  private mutating func iterate() async {
    var dead = 0
    switch work.behavior {
    case .notifying:
      await array.forEach { member in dead += member.isAlive() ? 0 : 1 }
    case .dying:
      var victims = work.ring.count > work.keeps / 2 ? 1 : 0
      await array.forEach { [ring = work.ring] member in
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
