import Primitives

/// A dictionary behind one lock. Its backends differ only in the lock.
///
/// All operations are linearizable, including those on many keys.
public final class LockedDictionary<Key: Hashable, Value, Lock: ValueLock & ~Copyable>:
  SynchronousDictionary, ConcurrentDictionary, ExpressibleByDictionaryLiteral
where Lock.Value == [Key: Value] {
  private let lock: Lock

  /// Creates an empty dictionary.
  public init() {
    lock = Lock([:])
  }

  deinit {
    Teardown.release(
      lock.write { values in
        defer { values = [:] }
        return values
      })
  }

  /// Returns the value for `key`, under the read lock.
  public func value(forKey key: Key) -> Value? {
    read { $0[key] }
  }

  /// Calls `body` with the value for `key`, under the read lock and without copying the value.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    try read { values throws(F) in try values.borrow(key, in: self, body) }
  }

  /// Sets the value for `key` under the write lock, and releases the old value outside it.
  public func setValue(_ value: Value, forKey key: Key) {
    // The old value is the closure's result, so that it is released outside the lock.
    _ = write { $0.replaceValue(value, forKey: key) }
  }

  /// Returns whether there is a value for `key`, under the read lock.
  public func contains(key: Key) -> Bool { read { $0.index(forKey: key) != nil } }

  /// Removes `key` under the write lock; returns the value that it had.
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    write { $0.takeOut(key) }?.value
  }

  /// Returns the value for `key`; if there is none, inserts and returns the result of `makeValue`,
  /// which runs outside the lock.
  public func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    if let present = value(forKey: key) { return present }
    let made = try makeValue()
    return write { $0.insertIfAbsent(made, forKey: key) }
  }

  /// Changes the value for `key` under the write lock; returns the result of `body`.
  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    // The outcome contains the values before and after, which are released outside the lock.
    try write { $0.update(key, in: self, body) }.result.get()
  }

  /// The number of keys, exact at one moment during the call.
  public var count: Int { read { $0.count } }

  /// A copy with all keys and values, as of one moment during the call.
  ///
  /// - Complexity: O(1); a later write copies the storage.
  public var snapshot: [Key: Value] { read { $0 } }

  /// Removes every key under the write lock, and releases keys and values outside it.
  public func removeAll() {
    Teardown.release(
      write { values in
        defer { values = [:] }
        return values
      })
  }

  private func read<R, F: Error>(_ body: (borrowing [Key: Value]) throws(F) -> R) throws(F) -> R {
    try KeyCoding<Key>.guarding(self) { () throws(F) in try lock.read(body) }
  }

  private func write<R, F: Error>(_ body: (inout [Key: Value]) throws(F) -> R) throws(F) -> R {
    try KeyCoding<Key>.guarding(self) { () throws(F) in try lock.write(body) }
  }
}

// @unchecked: only `lock` accesses the values; threads share keys and values only if they are
// Sendable.
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

/// The dictionary as an actor, for code that suspends anyway and must never block a thread.
///
/// The values that an operation removes are released in the caller's context, not in the actor's.
/// No operation suspends inside the actor, so each is one step.
public actor ActorDictionary<Key: Hashable & Sendable, Value: Sendable>: ConcurrentDictionary {
  private var values: [Key: Value] = [:]

  /// Creates an empty dictionary.
  public init() {}

  deinit {
    let contents = values
    values = [:]
    Teardown.release(contents)
  }

  /// Returns the value for `key`; nil if there is none.
  public nonisolated func value(forKey key: Key) async -> Value? {
    await valueInside(key)
  }

  /// Calls `body` on the actor with the value for `key`, without copying the value.
  public nonisolated func withValue<R: Sendable, F: Error>(
    forKey key: Key, _ body: @Sendable (borrowing Value) throws(F) -> R
  ) async throws(F) -> R? {
    try await borrowInside(key, body)
  }

  /// Sets the value for `key`.
  public nonisolated func setValue(_ value: Value, forKey key: Key) async {
    _ = await replaceInside(key, value)
  }

  /// Removes `key`; returns the value that it had.
  @discardableResult
  public nonisolated func removeValue(forKey key: Key) async -> Value? {
    await removeInside(key)?.value
  }

  /// Returns the value for `key`; if there is none, inserts and returns the result of `makeValue`,
  /// which runs outside the actor.
  public nonisolated func value<F: Error>(
    forKey key: Key, orInsert makeValue: @Sendable () throws(F) -> Value
  ) async throws(F) -> Value {
    if let present = await valueInside(key) { return present }
    return await insertInside(key, try makeValue())
  }

  /// Changes the value for `key` on the actor; returns the result of `body`.
  public nonisolated func update<R: Sendable, F: Error>(
    _ key: Key, _ body: @Sendable (inout Value?) throws(F) -> R
  ) async throws(F) -> R {
    try await updateInside(key, body).result.get()
  }

  /// The number of keys.
  public nonisolated var count: Int {
    get async { await countInside }
  }

  /// A copy with all keys and values.
  public nonisolated var snapshot: [Key: Value] {
    get async { await snapshotInside }
  }

  /// Removes every key.
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

  /// Checks again: another task may have set a value since the caller's check.
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
// caller's lock. So these functions release neither. The standard library's `updateValue` and
// `removeValue` release the key.
extension Dictionary {
  /// Sets the value for `key`; returns the old one. Keeps the stored key if there is one.
  mutating func replaceValue(_ value: Value, forKey key: Key) -> Value? {
    guard let index = index(forKey: key) else {
      self[key] = value
      return nil
    }
    let old = values[index]
    values[index] = value
    return old
  }

  /// Returns the value for `key` after inserting `value` if there was none.
  mutating func insertIfAbsent(_ value: Value, forKey key: Key) -> Value {
    if let present = self[key] { return present }
    self[key] = value
    return value
  }

  /// Removes `key`; returns the stored key and its value.
  mutating func takeOut(_ key: Key) -> Element? {
    guard let index = index(forKey: key) else { return nil }
    defer { shrinkIfSparse() }
    return remove(at: index)
  }

  /// Takes smaller storage if few keys are left in it, which the standard library never does.
  private mutating func shrinkIfSparse() {
    guard capacity > 64, count < capacity / 8 else { return }
    var smaller = [Key: Value](minimumCapacity: 2 * count)
    for (key, value) in self { smaller[key] = value }
    self = smaller
  }

  /// Calls `body` with the value for `key` while the thread has a `CriticalSection` record for
  /// `owner`; returns nil if there is no value.
  borrowing func borrow<R, F: Error>(
    _ key: Key, in owner: AnyObject, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    guard let index = index(forKey: key) else { return nil }
    return try CriticalSection.hold(owner) { () throws(F) in try body(values[index]) }
  }

  /// Runs `body` on the value for `key` while the thread has a `CriticalSection` record for
  /// `owner`. Nothing changes if `body` throws.
  ///
  /// - Returns: The outcome, with every reference that must be released outside the critical
  ///   section.
  mutating func update<R, F: Error>(
    _ key: Key, in owner: AnyObject, _ body: (inout Value?) throws(F) -> R
  ) -> UpdateOutcome<Key, Value, R, F> {
    let index = index(forKey: key)
    let old = index.map { self[$0] }
    var new = old?.value
    let result = CriticalSection.hold(owner) { Result { () throws(F) in try body(&new) } }
    if case .success = result { put(new, forKey: key, at: index) }
    return UpdateOutcome(result: result, old: old, new: new)
  }

  /// Sets the value for `key`, which is stored at `index` if it is present; nil removes it.
  private mutating func put(_ value: Value?, forKey key: Key, at index: Index?) {
    switch (value, index) {
    case (let value?, let index?): values[index] = value
    case (let value?, nil): self[key] = value
    case (nil, let index?):
      remove(at: index)
      shrinkIfSparse()
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
