/// The weak array behind a POSIX read-write lock: snapshots run side by side.
public typealias ReadWriteLockWeakArray<Element> =
  LockedWeakArray<Element, ReadWriteLock<WeakArrayStorage<Element>>>
