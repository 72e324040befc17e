import Primitives
import WeakCollections

/// The registry of the validated instances of every class: a dictionary from the class to a weak
/// set, its `InstanceSet`.
///
/// The operations are closures, because the compiler specializes a closure for the concrete backend
/// in the initializer that creates it. It would not specialize the protocol witnesses of a class
/// that is generic in the backend: those look up type metadata at each step.
struct InstanceRegistry: Sendable {
  /// Registers an object (idempotent); returns the number of live instances of its class if it
  /// exceeds `max`, else nil.
  let add: @Sendable (AnyObject, _ max: Int) -> Int?

  /// Unregisters an object; does nothing if it is not registered.
  let remove: @Sendable (AnyObject) -> Void

  /// Whether an object is registered.
  let contains: @Sendable (AnyObject) -> Bool

  /// The number of live registered instances of exactly this class.
  let liveCount: @Sendable (ObjectIdentifier) -> Int

  /// The number of entries of exactly this class, including dead ones that are not removed yet.
  let entryCount: @Sendable (ObjectIdentifier) -> Int

  /// The registered classes and their numbers of live instances.
  let liveCounts: @Sendable () -> [(type: AnyClass, count: Int)]

  /// Forgets every class.
  let removeAll: @Sendable () -> Void

  private init<Sets: SynchronousDictionary & Sendable, Instances: SendableMetatype>(
    in sets: Sets, of instances: Instances.Type
  )
  where Sets.Key == ObjectIdentifier, Sets.Value == InstanceSet<Instances> {
    let rounds = CompactionRounds<Instances>()
    add = { object, max in
      let type: AnyClass = Swift.type(of: object)
      let set = sets.value(forKey: ObjectIdentifier(type), orInsert: { InstanceSet(of: type) })
      let excess = set.add(object, max: max)
      if set.noteAddition(every: CompactionRounds<Instances>.additionsAPayment) {
        rounds.pay { Array(sets.snapshot.values) }
      }
      return excess
    }
    remove = { object in
      sets.value(forKey: ObjectIdentifier(type(of: object)))?.remove(object)
    }
    contains = { object in
      sets.value(forKey: ObjectIdentifier(type(of: object)))?.contains(object) ?? false
    }
    liveCount = { type in
      sets.value(forKey: type)?.liveCount ?? 0
    }
    entryCount = { type in
      sets.value(forKey: type)?.entryCount ?? 0
    }
    liveCounts = {
      sets.snapshot.values.map { ($0.type, $0.liveCount) }
    }
    removeAll = {
      sets.removeAll()
      rounds.removeAll()
    }
  }

  /// Creates an empty registry in `backend`; traps for `.actor`.
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
      fatalError(
        "a leak monitor cannot use the backend '\(backend)': its operations suspend, and an "
          + "initializer that validates its object cannot wait; choose another backend")
    }
  }
}

// MARK: - One class

/// The instances of one class: a weak set that threads share.
final class InstanceSet<Instances: SynchronousWeakSet<AnyObject>> {
  let type: AnyClass
  private let instances = Instances()
  private let additions = Atomic<Int>(0)

  init(of type: AnyClass) {
    self.type = type
  }

  /// Registers `object` (idempotent); returns the number of live instances if it exceeds `max`,
  /// else nil.
  ///
  /// While no registered instance is dead or dies, threads that add instances concurrently get
  /// distinct results: each gets the number of entries up to and including its own.
  ///
  /// - Complexity: O(1) amortized while there are at most `max` entries. With more entries, it
  ///   inspects entries until at most `max` of them can be live: O(*n* / (dead + 1)) on average,
  ///   O(*n*) if more than `max` are live.
  func add(_ object: AnyObject, max: Int) -> Int? {
    let entries = instances.insert(object).entries
    // At most `max` entries means at most `max` live instances, so no entry needs an inspection.
    return entries > max ? excess(of: entries, over: max) : nil
  }

  private func excess(of entries: Int, over max: Int) -> Int? {
    instances.compact(atLeast: entries - Swift.max(0, max))
    // With at most `max` entries, `object` included, at most `max` instances are live now. The
    // number of removed entries cannot decide this: the removed entries may be newer than `object`,
    // and then the older ones may all be live.
    guard instances.entryCount > max else { return nil }
    // With more entries, either all are live or other threads have added some, so this counts the
    // live instances. The result is at most `entries`, because some of the live instances may be
    // newer than `object`, and some entries may have died during the call.
    let liveCount = min(entries, instances.count)
    return liveCount > max ? liveCount : nil
  }

  func remove(_ object: AnyObject) { instances.remove(object) }

  func contains(_ object: AnyObject) -> Bool { instances.contains(object) }

  /// The number of live instances.
  var liveCount: Int {
    instances.compact()
    return instances.count
  }

  /// The number of entries, including dead ones that are not removed yet.
  var entryCount: Int { instances.entryCount }

  /// Removes the entries of dead instances.
  func compact() { instances.compact() }

  /// Counts an addition; returns true for about one addition in `every`.
  func noteAddition(every: Int) -> Bool {
    // Relaxed: no other memory depends on the number. A load and a store, instead of one atomic
    // addition, may lose a concurrent addition, which only delays the sweep.
    let next = additions.load(ordering: .relaxed) &+ 1
    additions.store(next, ordering: .relaxed)
    return next % every == 0
  }
}

// @unchecked: threads may share the set. Its objects need not be Sendable, because the set only
// counts them.
extension InstanceSet: @unchecked Sendable {}

// MARK: - Sweeping classes without additions

/// Removes dead entries from the weak sets of classes that get no new instances.
///
/// Additions to a set sweep it. A set without additions would keep the entries of its dead
/// instances, and also their memory if its weak slots keep that allocated. So additions to any
/// class pay for the sweeps of all classes:
///
/// 1. Each addition earns the inspection of one entry. A round compacts the next set as soon as the
///    earned inspections cover its entries.
/// 2. A round visits all sets. Let *e* be the number of entries of all classes, plus the number of
///    classes, plus `additionsAPayment` for each class that has additions. After *e* additions,
///    every class without additions has lost its dead entries.
/// 3. A class whose instances are all dead keeps its empty set until `removeAll`. New instances
///    reuse it. Removing the set would cost every addition a check that its set is still current.
final class CompactionRounds<Instances: SynchronousWeakSet<AnyObject>>: Sendable {
  private struct State {
    var looks = 0
    var left: [InstanceSet<Instances>] = []
  }

  /// The number of additions to one set whose inspections are credited together.
  static var additionsAPayment: Int { 256 }

  private let state = MutexLock(State())

  /// Credits one batch of inspections, and compacts the next sets as far as the earned inspections
  /// cover their entries; begins a new round after the last set.
  ///
  /// - Parameter all: Returns the sets of all classes, for the next round.
  func pay(all: () -> [InstanceSet<Instances>]) {
    let (due, isOver) = state.write { state in
      state.looks += Self.additionsAPayment
      var due: [InstanceSet<Instances>] = []
      while let next = state.left.last, next.entryCount < state.looks {
        state.looks -= next.entryCount + 1
        due.append(state.left.removeLast())
      }
      return (due, state.left.isEmpty)
    }
    // Outside the lock, because compacting may release a promoted object, whose `deinit` then runs
    // here.
    for set in due { set.compact() }
    if isOver { begin(all()) }
  }

  private func begin(_ all: [InstanceSet<Instances>]) {
    state.write { state in
      // Another thread may have begun the round meanwhile.
      guard state.left.isEmpty else { return }
      state.left = all
      state.looks = 0
    }
  }

  func removeAll() {
    // The closure returns the old state, so that its sets are released outside the lock.
    _ = state.write { state in
      defer { state = State() }
      return state
    }
  }
}

// MARK: - Exemptions

/// The exemptions of a monitor: long-lived objects and allowances.
final class Exemptions: Sendable {
  private let longLived: InstanceRegistry
  private let allowances: MutexLock<[ObjectIdentifier: Int]>
  /// The number of allowed survivors of each class that are alive.
  private let survivors = MutexLock<[ObjectIdentifier: Int]>([:])

  convenience init(_ backend: Backend) {
    self.init(backend, allowances: [:])
  }

  private init(_ backend: Backend, allowances: [ObjectIdentifier: Int]) {
    longLived = InstanceRegistry(backend)
    self.allowances = MutexLock(allowances)
  }

  /// Returns a copy with the allowances of classes, without long-lived objects.
  func withoutObjects(_ backend: Backend) -> Exemptions {
    Exemptions(backend, allowances: allowances.read { copy $0 })
  }

  func allow(_ count: Int, of type: ObjectIdentifier) {
    allowances.write { $0[type] = count }
  }

  func markLongLived(_ object: AnyObject) {
    _ = longLived.add(object, .max)
  }

  func isLongLived(_ object: AnyObject) -> Bool {
    longLived.contains(object)
  }

  func remove(_ object: AnyObject) {
    longLived.remove(object)
  }

  func removeObjects() {
    longLived.removeAll()
  }

  /// Returns the number of live long-lived instances of exactly this class.
  func longLivedCount(of type: ObjectIdentifier) -> Int {
    longLived.liveCount(type)
  }

  /// Returns `found`, an excess, with its state.
  ///
  /// - Parameter longLived: The number of live long-lived instances of the class.
  func judge(_ found: LeakReport, of type: ObjectIdentifier, longLived: Int) -> LeakReport {
    var report = found
    let excess = found.liveCount - found.max
    if excess <= longLived {
      report.state = .longLived
    } else if excess - longLived <= allowance(of: type) {
      report.state = .allowed
    }
    return report
  }

  /// Returns whether one more survivor of a class is allowed; if so, counts it until
  /// `releaseSurvivor(of:)`.
  func allowSurvivor(of type: ObjectIdentifier) -> Bool {
    let allowance = allowance(of: type)
    return survivors.write { survivors in
      guard survivors[type, default: 0] < allowance else { return false }
      survivors[type, default: 0] += 1
      return true
    }
  }

  func releaseSurvivor(of type: ObjectIdentifier) {
    survivors.write { $0[type, default: 0] -= 1 }
  }

  private func allowance(of type: ObjectIdentifier) -> Int {
    allowances.read { $0[type] ?? 0 }
  }
}
