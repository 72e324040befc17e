import Primitives
import WeakCollections

/// The validated instances of every class, in a dictionary from class to roster.
///
/// Closures rather than a protocol: made where the backend is a concrete type, they are specialized for
/// it. The witnesses of a class generic in the backend are not, and look up metadata at each step.
struct Ledger: Sendable {
  /// Enters an object, once however often, and counts its class; returns how many live if there are more
  /// than the second argument, else nil.
  let add: @Sendable (AnyObject, _ max: Int) -> Int?

  /// Strikes an object out, which need not be entered.
  let remove: @Sendable (AnyObject) -> Void

  /// Whether an object is entered.
  let contains: @Sendable (AnyObject) -> Bool

  /// How many entered instances of exactly this class live.
  let liveCount: @Sendable (ObjectIdentifier) -> Int

  /// How many instances of exactly this class are entered, the unnoticed dead included.
  let entryCount: @Sendable (ObjectIdentifier) -> Int

  /// The classes that have been entered and how many of their instances live.
  let liveCounts: @Sendable () -> [(type: AnyClass, count: Int)]

  /// Forgets every class.
  let removeAll: @Sendable () -> Void

  private init<Rosters: SynchronousDictionary & Sendable, Instances: SendableMetatype>(
    in rosters: Rosters, of instances: Instances.Type
  )
  where Rosters.Key == ObjectIdentifier, Rosters.Value == Roster<Instances> {
    let rounds = RosterRounds<Instances>()
    add = { object, max in
      let type: AnyClass = Swift.type(of: object)
      let roster = rosters.value(forKey: ObjectIdentifier(type), orInsert: { Roster(of: type) })
      let excess = roster.add(object, max: max)
      if roster.noteAddition(every: RosterRounds<Instances>.additionsAPayment) {
        rounds.pay { Array(rosters.snapshot.values) }
      }
      return excess
    }
    remove = { object in
      rosters.value(forKey: ObjectIdentifier(type(of: object)))?.remove(object)
    }
    contains = { object in
      rosters.value(forKey: ObjectIdentifier(type(of: object)))?.contains(object) ?? false
    }
    liveCount = { type in
      rosters.value(forKey: type)?.liveCount ?? 0
    }
    entryCount = { type in
      rosters.value(forKey: type)?.entryCount ?? 0
    }
    liveCounts = {
      rosters.snapshot.values.map { ($0.type, $0.liveCount) }
    }
    removeAll = {
      rosters.removeAll()
      rounds.removeAll()
    }
  }

  /// An empty ledger; traps for the actor.
  init(_ backend: Backend) {
    switch backend {
    case .barrierQueue:
      self.init(in: BarrierQueueDictionary(), of: BarrierQueueWeakSet<AnyObject>.self)
    case .mutex: self.init(in: MutexDictionary(), of: MutexWeakSet<AnyObject>.self)
    case .readWriteLock:
      self.init(in: ReadWriteLockDictionary(), of: ReadWriteLockWeakSet<AnyObject>.self)
    case .adaptiveLock:
      self.init(in: AdaptiveLockDictionary(), of: AdaptiveLockWeakSet<AnyObject>.self)
    case .stripedLock:
      self.init(in: StripedLockDictionary(), of: AdaptiveLockWeakSet<AnyObject>.self)
    case .bucketLock:
      self.init(in: BucketLockDictionary(), of: LockFreeWeakSet<AnyObject>.self)
    case .lockFree: self.init(in: LockFreeDictionary(), of: LockFreeWeakSet<AnyObject>.self)
    case .actor:
      preconditionFailure("expected a backend that never suspends, since initialisers cannot wait")
    }
  }
}

/// The instances of one class, each once: a weak set that threads share.
final class Roster<Instances: SynchronousWeakSet<AnyObject>> {
  let type: AnyClass
  private let instances = Instances()
  private let additions = Atomic<Int>(0)

  init(of type: AnyClass) {
    self.type = type
  }

  /// Enters `object` unless it is entered; returns how many live if there are more than `max`, else nil.
  ///
  /// While none of the entered is dead or dies, threads that add at once get numbers of their own: those of the
  /// entries.
  ///
  /// - Complexity: O(1) amortised while there are no more than `max` entries. Above, as many looks as find that
  ///   the living are no more than `max`: O(*n* / (dead + 1)) on average; O(*n*) if they are more.
  func add(_ object: AnyObject, max: Int) -> Int? {
    let entries = instances.insert(object).entries
    // No more entries than allowed are no more living ones either: nobody has to be asked.
    return entries > max ? excess(of: entries, over: max) : nil
  }

  private func excess(of entries: Int, over max: Int) -> Int? {
    instances.compact(atLeast: entries - Swift.max(0, max))
    // `object` is among them, so that at this moment no more than `max` live. Not asked of what was removed: that
    // may have come after it, and then says nothing of those that were there before.
    guard instances.entryCount > max else { return nil }
    // All were looked at and lived, or others come meanwhile: then the living decide, not the entries. Of the
    // entries some may have died during the call, and of the living some may have come after `object`.
    let liveCount = min(entries, instances.count)
    return liveCount > max ? liveCount : nil
  }

  func remove(_ object: AnyObject) { instances.remove(object) }

  func contains(_ object: AnyObject) -> Bool { instances.contains(object) }

  /// How many live.
  var liveCount: Int {
    instances.compact()
    return instances.count
  }

  /// How many are entered, the unnoticed dead included.
  var entryCount: Int { instances.entryCount }

  /// Removes the dead.
  func compact() { instances.compact() }

  /// Counts an addition; returns whether it is the last of `every`, as far as it is known.
  func noteAddition(every: Int) -> Bool {
    // Relaxed, and not one operation: nothing is read through it, and of additions at once some may be missed,
    // which only puts off what is due.
    let next = additions.load(ordering: .relaxed) &+ 1
    additions.store(next, ordering: .relaxed)
    return next % every == 0
  }
}

// @unchecked: the set is made for several threads; its objects need not be, and are only counted.
extension Roster: @unchecked Sendable {}

// Has the dead leave the rosters of classes that get no new instances.
//
// A roster is swept by additions to it. One whose instances die and that gets no more would keep their entries,
// and with weak slots that hold it their memory. So additions to any class pay for all: each earns a look
// at one entry, and a roster is compacted when as many looks are earned as it has entries. A round goes over
// all rosters; so after e additions the dead of every class that had no addition have left, e being the entries
// of all classes, their number, and `additionsAPayment` for each class that has additions.
//
// What stays of a class whose instances are all dead: its roster, with an empty set, until `removeAll`.
// It is reused when there are instances again; to take it away would cost every addition a look whether its
// roster is still the one.

/// Which rosters are to be compacted next.
final class RosterRounds<Instances: SynchronousWeakSet<AnyObject>>: Sendable {
  private struct State {
    var looks = 0
    var left: [Roster<Instances>] = []
  }

  /// How many additions to one roster are paid in at once.
  static var additionsAPayment: Int { 256 }

  private let state = MutexLock(State())

  /// Compacts what the looks paid in suffice for.
  ///
  /// - Parameter all: every roster, for the next round.
  func pay(all: () -> [Roster<Instances>]) {
    let (due, isOver) = state.write { state in
      state.looks += Self.additionsAPayment
      var due: [Roster<Instances>] = []
      while let next = state.left.last, next.entryCount < state.looks {
        state.looks -= next.entryCount + 1
        due.append(state.left.removeLast())
      }
      return (due, state.left.isEmpty)
    }
    // Outside the lock: what has to be promoted to be asked may die here.
    for roster in due { roster.compact() }
    if isOver { begin(all()) }
  }

  private func begin(_ all: [Roster<Instances>]) {
    state.write { state in
      // Another may have begun.
      guard state.left.isEmpty else { return }
      state.left = all
      state.looks = 0
    }
  }

  func removeAll() {
    // The result, so that rosters are released outside the lock.
    _ = state.write { state in
      defer { state = State() }
      return state
    }
  }
}
