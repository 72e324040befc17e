/// The dictionary behind a lock that spins briefly and then sleeps.
public typealias AdaptiveLockDictionary<Key: Hashable, Value> =
  LockedDictionary<Key, Value, AdaptiveLock<[Key: Value]>>
