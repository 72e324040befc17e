/// A dictionary with weak values behind one lock; the lock is the whole difference between its backends.
///
/// All its operations are linearizable, and `entryCount` is exact.
public final class LockedWeakValueDictionary<Key: Hashable, Value, Lock: ValueLock & ~Copyable>:
  ConcurrentWeakValueDictionary
where Lock.Value == WeakValueDictionary<Key, Value> {
  private let lock: Lock

  public init() {
    lock = Lock(WeakValueDictionary())
  }

  public func value(forKey key: Key) -> Value? {
    lock.read { $0[key] }
  }

  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    if let present = value(forKey: key) { return present }
    let made = makeValue()
    return write { values, discards in
      if let present = values[key] { return present }
      _ = values.updateValue(made, forKey: key, discards: &discards)
      return made
    }
  }

  public func setValue(_ value: Value, forKey key: Key) {
    // The old value is the closure's result, so that it is released outside the lock.
    _ = write { $0.updateValue(value, forKey: key, discards: &$1) }
  }

  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    write { $0.removeValue(forKey: key, discards: &$1) }
  }

  public var all: [(key: Key, value: Value)] { lock.read { $0.all } }

  public var entryCount: Int { lock.read { $0.entryCount } }

  public func removeAll() {
    // The keys leave the lock before they are let go.
    _ = lock.write { values in
      defer { values = WeakValueDictionary() }
      return values
    }
  }

  @discardableResult
  public func compact() -> Int {
    write { $0.purge(discards: &$1) }
  }

  private typealias Discarded = Discards<WeakValueEntry<Key, Value>>

  private func write<R>(_ body: (inout WeakValueDictionary<Key, Value>, inout Discarded) -> R) -> R
  {
    // Outlives the lock, so that what was promoted or removed is released outside it.
    var discards = Discarded()
    return lock.write { body(&$0, &discards) }
  }
}

// @unchecked: `lock` alone reaches the entries, and hands out only keys and values, which may be shared.
extension LockedWeakValueDictionary: @unchecked Sendable
where Key: Sendable, Value: Sendable, Lock: ~Copyable {}

/// The dictionary with weak values behind `Synchronization.Mutex`.
public typealias MutexWeakValueDictionary<Key: Hashable, Value> =
  LockedWeakValueDictionary<Key, Value, MutexLock<WeakValueDictionary<Key, Value>>>

/// The dictionary with weak values behind a POSIX read-write lock: readers run side by side.
public typealias ReadWriteLockWeakValueDictionary<Key: Hashable, Value> =
  LockedWeakValueDictionary<Key, Value, ReadWriteLock<WeakValueDictionary<Key, Value>>>

/// The dictionary with weak values behind a lock that spins briefly and then sleeps.
public typealias AdaptiveLockWeakValueDictionary<Key: Hashable, Value> =
  LockedWeakValueDictionary<Key, Value, AdaptiveLock<WeakValueDictionary<Key, Value>>>

/// The dictionary with weak values behind a concurrent dispatch queue: readers run side by side, writers
/// as barriers.
public typealias BarrierQueueWeakValueDictionary<Key: Hashable, Value> =
  LockedWeakValueDictionary<Key, Value, BarrierQueueLock<WeakValueDictionary<Key, Value>>>
