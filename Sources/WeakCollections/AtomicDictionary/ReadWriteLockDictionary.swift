/// The dictionary behind a POSIX read-write lock: readers run side by side.
public typealias ReadWriteLockDictionary<Key: Hashable, Value> =
  LockedDictionary<Key, Value, ReadWriteLock<[Key: Value]>>
