/// The weak array behind a concurrent dispatch queue: snapshots run side by side, the rest as barriers.
public typealias BarrierQueueWeakArray<Element> =
  LockedWeakArray<Element, BarrierQueueLock<WeakArrayStorage<Element>>>
