import WeakCollections

/// The validated instances of every class, in a dictionary from class to roster.
///
/// A roster is used only inside `update` of its class, which nobody else's update of that class enters.
///
/// Closures rather than a protocol: made where the backend is a concrete type, they are specialized for
/// it. The witnesses of a class generic in the backend are not, and look up metadata at each step.
struct Ledger: Sendable {
  /// Enters an object, once however often, and counts its class in the same atomic step; returns how many
  /// live if there are more than the second argument, else nil.
  let add: @Sendable (AnyObject, _ max: Int) -> Int?

  /// How many entered instances of exactly this class live.
  let liveCount: @Sendable (AnyClass) -> Int

  private init<Rosters: SynchronousDictionary & Sendable>(in rosters: Rosters)
  where Rosters.Key == ObjectIdentifier, Rosters.Value == Roster {
    add = { object, max in
      // Outlives the update, so that what the roster promoted is released outside it.
      var promoted: [AnyObject] = []
      return rosters.update(ObjectIdentifier(type(of: object))) { entry in
        let roster = entry ?? Roster()
        entry = roster
        return roster.add(object, max: max, promoted: &promoted)
      }
    }
    liveCount = { type in
      var promoted: [AnyObject] = []
      return rosters.update(ObjectIdentifier(type)) { roster in
        roster?.compact(promoted: &promoted) ?? 0
      }
    }
  }

  /// An empty ledger; traps for the actor.
  init(_ backend: Backend) {
    switch backend {
    case .barrierQueue: self.init(in: BarrierQueueDictionary<ObjectIdentifier, Roster>())
    case .mutex: self.init(in: MutexDictionary<ObjectIdentifier, Roster>())
    case .readWriteLock: self.init(in: ReadWriteLockDictionary<ObjectIdentifier, Roster>())
    case .lockFree: self.init(in: LockFreeDictionary<ObjectIdentifier, Roster>())
    case .actor:
      preconditionFailure("expected a backend that never suspends, since initialisers cannot wait")
    }
  }
}
