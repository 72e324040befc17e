/// The dictionary behind `Synchronization.Mutex`.
public typealias MutexDictionary<Key: Hashable, Value> =
  LockedDictionary<Key, Value, MutexLock<[Key: Value]>>
