import Primitives
import Threading
import WeakCollections
import Workloads

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
