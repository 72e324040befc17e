/// The weak array behind `Synchronization.Mutex`.
///
/// Choose it for few threads and short work. It is not lock-free: a thread that is stopped in the middle
/// of an operation stops the others.
public typealias MutexWeakArray<Element> =
  LockedWeakArray<Element, MutexLock<WeakArrayStorage<Element>>>
