/// The dictionary behind a concurrent dispatch queue: readers run side by side, writers as barriers.
public typealias BarrierQueueDictionary<Key: Hashable, Value> =
  LockedDictionary<Key, Value, BarrierQueueLock<[Key: Value]>>
