/// The weak array behind a lock that spins briefly and then sleeps.
public typealias AdaptiveLockWeakArray<Element> =
  LockedWeakArray<Element, AdaptiveLock<WeakArrayStorage<Element>>>
