import WeakCollections

/// A ledger that is a dictionary from class to roster; the backend is the dictionary's.
///
/// A roster is used only inside `update` of its class, which nobody else's update of that class enters.
final class DictionaryLedger<Rosters: SynchronousDictionary & Sendable>: Ledger
where Rosters.Key == ObjectIdentifier, Rosters.Value == Roster {
  private let rosters = Rosters()

  func add(_ object: AnyObject, max: Int) -> Int? {
    // Outlives the update, so that what the roster promoted is released outside it.
    var promoted: [AnyObject] = []
    return rosters.update(ObjectIdentifier(type(of: object))) { entry in
      let roster = entry ?? Roster()
      entry = roster
      return roster.add(object, max: max, promoted: &promoted)
    }
  }

  func liveCount(of type: AnyClass) -> Int {
    var promoted: [AnyObject] = []
    return rosters.update(ObjectIdentifier(type)) { roster in
      roster?.compact(promoted: &promoted) ?? 0
    }
  }
}

extension Backend {
  /// An empty ledger of this backend; traps for the actor.
  func makeLedger() -> any Ledger {
    switch self {
    case .barrierQueue: DictionaryLedger<BarrierQueueDictionary<ObjectIdentifier, Roster>>()
    case .mutex: DictionaryLedger<MutexDictionary<ObjectIdentifier, Roster>>()
    case .readWriteLock: DictionaryLedger<ReadWriteLockDictionary<ObjectIdentifier, Roster>>()
    case .lockFree: DictionaryLedger<LockFreeDictionary<ObjectIdentifier, Roster>>()
    case .actor:
      preconditionFailure("expected a backend that never suspends, since initialisers cannot wait")
    }
  }
}
