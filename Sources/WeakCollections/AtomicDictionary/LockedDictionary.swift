import Primitives

/// A dictionary behind one lock; the lock is the whole difference between its backends.
///
/// All its operations are linearizable, those on many keys too.
public final class LockedDictionary<Key: Hashable, Value, Lock: ValueLock & ~Copyable>:
  SynchronousDictionary
where Lock.Value == [Key: Value] {
  private let lock: Lock

  public init() {
    lock = Lock([:])
  }

  public func value(forKey key: Key) -> Value? {
    read { $0[key] }
  }

  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    try read { values throws(F) in try values.borrow(key, in: self, body) }
  }

  public func setValue(_ value: Value, forKey key: Key) {
    // The old value is the closure's result, so that it is released outside the lock.
    _ = write { $0.replaceValue(value, forKey: key) }
  }

  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    write { $0.takeOut(key) }?.value
  }

  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    if let present = value(forKey: key) { return present }
    let made = makeValue()
    return write { $0.insertIfAbsent(made, forKey: key) }
  }

  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    // The outcome leaves the lock with the values before and after, to be released outside.
    try write { $0.update(key, in: self, body) }.result.get()
  }

  public var count: Int { read { $0.count } }

  public var snapshot: [Key: Value] { read { $0 } }

  public func removeAll() {
    _ = write { values in
      defer { values = [:] }
      return values
    }
  }

  private func read<R, F: Error>(_ body: (borrowing [Key: Value]) throws(F) -> R) throws(F) -> R {
    Exclusion.checkNotHeld(self)
    return try lock.read(body)
  }

  private func write<R, F: Error>(_ body: (inout [Key: Value]) throws(F) -> R) throws(F) -> R {
    Exclusion.checkNotHeld(self)
    return try lock.write(body)
  }
}

// @unchecked: `lock` alone reaches the values; keys and values are shared only if they may be.
extension LockedDictionary: @unchecked Sendable
where Key: Sendable, Value: Sendable, Lock: ~Copyable {}
