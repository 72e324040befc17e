/// The weak set behind a concurrent dispatch queue: readers run side by side, writers as barriers.
public typealias BarrierQueueWeakSet<Element> =
  LockedWeakSet<Element, BarrierQueueLock<WeakSet<Element>>>
