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

/// The dictionary behind `Synchronization.Mutex`.
public typealias MutexDictionary<Key: Hashable, Value> =
  LockedDictionary<Key, Value, MutexLock<[Key: Value]>>

/// The dictionary behind a POSIX read-write lock: readers run concurrently.
public typealias ReadWriteLockDictionary<Key: Hashable, Value> =
  LockedDictionary<Key, Value, ReadWriteLock<[Key: Value]>>

/// The dictionary behind a concurrent dispatch queue: readers run concurrently, writers as
/// barriers.
public typealias BarrierQueueDictionary<Key: Hashable, Value> =
  LockedDictionary<Key, Value, BarrierQueueLock<[Key: Value]>>

/// The dictionary behind a lock that spins briefly and then sleeps.
public typealias AdaptiveLockDictionary<Key: Hashable, Value> =
  LockedDictionary<Key, Value, AdaptiveLock<[Key: Value]>>

/// The dictionary as an actor: for code that suspends anyway and must never block a thread.
///
/// The values that an operation removes are released in the caller's context, not in the actor's.
/// No operation suspends inside, so each is one step.
public actor ActorDictionary<Key: Hashable & Sendable, Value: Sendable>: ConcurrentDictionary {
  private var values: [Key: Value] = [:]

  public init() {}

  public nonisolated func value(forKey key: Key) async -> Value? {
    await valueInside(key)
  }

  public nonisolated func withValue<R: Sendable, F: Error>(
    forKey key: Key, _ body: @Sendable (borrowing Value) throws(F) -> R
  ) async throws(F) -> R? {
    try await borrowInside(key, body)
  }

  public nonisolated func setValue(_ value: Value, forKey key: Key) async {
    _ = await replaceInside(key, value)
  }

  @discardableResult
  public nonisolated func removeValue(forKey key: Key) async -> Value? {
    await removeInside(key)?.value
  }

  public nonisolated func value(
    forKey key: Key, orInsert makeValue: @Sendable () -> Value
  ) async -> Value {
    if let present = await valueInside(key) { return present }
    return await insertInside(key, makeValue())
  }

  public nonisolated func update<R: Sendable, F: Error>(
    _ key: Key, _ body: @Sendable (inout Value?) throws(F) -> R
  ) async throws(F) -> R {
    try await updateInside(key, body).result.get()
  }

  public nonisolated var count: Int {
    get async { await countInside }
  }

  public nonisolated var snapshot: [Key: Value] {
    get async { await snapshotInside }
  }

  public nonisolated func removeAll() async {
    _ = await removeAllInside()
  }

  private func borrowInside<R: Sendable, F: Error>(
    _ key: Key, _ body: @Sendable (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    try values.borrow(key, in: self, body)
  }

  private func valueInside(_ key: Key) -> Value? { values[key] }

  private func replaceInside(_ key: Key, _ value: Value) -> Value? {
    values.replaceValue(value, forKey: key)
  }

  private func removeInside(_ key: Key) -> (key: Key, value: Value)? { values.takeOut(key) }

  /// Checks again: the key may have got a value since the caller checked.
  private func insertInside(_ key: Key, _ made: Value) -> Value {
    if let present = values[key] { return present }
    values[key] = made
    return made
  }

  private func updateInside<R: Sendable, F: Error>(
    _ key: Key, _ body: @Sendable (inout Value?) throws(F) -> R
  ) -> UpdateOutcome<Key, Value, R, F> {
    values.update(key, in: self, body)
  }

  private var countInside: Int { values.count }

  private var snapshotInside: [Key: Value] { values }

  private func removeAllInside() -> [Key: Value] {
    defer { values = [:] }
    return values
  }
}

// MARK: - Changes that release nothing

// A key or a value may hold the last reference to an object, whose `deinit` would run inside the
// caller's lock. So these functions release neither. `updateValue` and `removeValue` of the
// standard library release the key.
extension Dictionary {
  /// Makes `value` the value for `key`; returns the one it replaces. A key that is already there is
  /// not replaced.
  mutating func replaceValue(_ value: Value, forKey key: Key) -> Value? {
    guard let index = index(forKey: key) else {
      self[key] = value
      return nil
    }
    let old = values[index]
    values[index] = value
    return old
  }

  /// The value for `key`, which is `value` unless there is one already.
  mutating func insertIfAbsent(_ value: Value, forKey key: Key) -> Value {
    if let present = self[key] { return present }
    self[key] = value
    return value
  }

  /// Removes `key`; returns the key that was there and its value.
  mutating func takeOut(_ key: Key) -> Element? {
    index(forKey: key).map { remove(at: $0) }
  }

  /// Calls `body` with the value for `key`, while `owner`'s exclusion is marked as held; returns
  /// nil if there is no value.
  borrowing func borrow<R, F: Error>(
    _ key: Key, in owner: AnyObject, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    guard let index = index(forKey: key) else { return nil }
    return try Exclusion.hold(owner) { () throws(F) in try body(values[index]) }
  }

  /// Runs `body` on the value for `key`, while `owner`'s exclusion is marked as held; nothing
  /// changes if it throws. The outcome holds every reference that must be released outside the
  /// exclusion.
  mutating func update<R, F: Error>(
    _ key: Key, in owner: AnyObject, _ body: (inout Value?) throws(F) -> R
  ) -> UpdateOutcome<Key, Value, R, F> {
    let index = index(forKey: key)
    let old = index.map { self[$0] }
    var new = old?.value
    let result = Exclusion.hold(owner) { Result { () throws(F) in try body(&new) } }
    if case .success = result { put(new, forKey: key, at: index) }
    return UpdateOutcome(result: result, old: old, new: new)
  }

  /// Makes `value` the value for `key`, whose place is `index` if it has one; nil removes it.
  private mutating func put(_ value: Value?, forKey key: Key, at index: Index?) {
    switch (value, index) {
    case (let value?, let index?): values[index] = value
    case (let value?, nil): self[key] = value
    case (nil, let index?): remove(at: index)
    case (nil, nil): break
    }
  }
}

/// The outcome of an `update`, which keeps alive the key and the values before and after it.
struct UpdateOutcome<Key: Hashable, Value, R, F: Error> {
  let result: Result<R, F>
  let old: Dictionary<Key, Value>.Element?
  let new: Value?
}

extension UpdateOutcome: Sendable where Key: Sendable, Value: Sendable, R: Sendable {}
