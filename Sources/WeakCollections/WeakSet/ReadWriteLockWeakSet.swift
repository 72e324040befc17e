/// The weak set behind a POSIX read-write lock: readers run side by side.
public typealias ReadWriteLockWeakSet<Element> =
  LockedWeakSet<Element, ReadWriteLock<WeakSet<Element>>>
