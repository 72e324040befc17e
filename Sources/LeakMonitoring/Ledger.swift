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
