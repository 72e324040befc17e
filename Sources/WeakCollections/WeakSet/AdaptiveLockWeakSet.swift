/// The weak set behind a lock that spins briefly and then sleeps.
public typealias AdaptiveLockWeakSet<Element> =
  LockedWeakSet<Element, AdaptiveLock<WeakSet<Element>>>
