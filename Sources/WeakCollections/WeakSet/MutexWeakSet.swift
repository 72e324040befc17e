/// The weak set behind `Synchronization.Mutex`.
public typealias MutexWeakSet<Element> = LockedWeakSet<Element, MutexLock<WeakSet<Element>>>
