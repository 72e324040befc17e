import Primitives
import Threading
import WeakCollections
import Workloads

/// One worker of a weak array's trial.
struct WeakArrayWorker<A: ConcurrentWeakArray & Sendable>: TrialWorker where A.Element == Member {
  private let array: A
  private var input: WorkerInput
  private let members: Table<Member>
  private let behaviour: Workload.Behaviour
  private let entryLimit: Int
  private let keeps: Int
  private let tally: Census.Tally
  /// What this worker appended and nobody removed, oldest first; it keeps them alive.
  private let ring: Ring<Member>
  private var insertsSinceEmptied = 0
  private(set) var deadElements = 0
  private(set) var missedRemovals = 0
  /// Reads that found nothing.
  private(set) var misses = 0

  init(
    array: A, input: WorkerInput, members: Table<Member>, workload: Workload, entryLimit: Int,
    room: Int, keeps: Int, tally: Census.Tally
  ) {
    self.array = array
    self.input = input
    self.members = members
    self.entryLimit = entryLimit
    self.keeps = keeps
    self.tally = tally
    behaviour = workload.behaviour
    ring = Ring(capacity: room)
  }

  var owned: [Member] { ring.all }

  func own(_ member: Member) {
    ring.append(member)
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
    switch behaviour {
    case .churning, .monitoring, .dying:
      await appendNew()
      if behaviour == .monitoring { consume(await array.count) }
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
    switch behaviour {
    case .notifying:
      await array.forEach { member in dead += member.isAlive() ? 0 : 1 }
    case .dying:
      var victims = ring.count > keeps / 2 ? 1 : 0
      await array.forEach { [ring] member in
        dead += member.isAlive() ? 0 : 1
        // As a delegate does that ends another's life when it is called.
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
