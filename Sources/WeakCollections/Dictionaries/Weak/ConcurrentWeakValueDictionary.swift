import EpochReclamation
import Primitives

/// A dictionary that threads share and that does not keep its values alive: an exact interner.
///
/// `Value` is a class, an actor, `AnyObject` or a class-bound protocol type. The initializers trap
/// for any other type. A key whose value is dead counts as absent.
///
/// Every backend guarantees:
/// - Every operation on one key is linearizable. So all threads that hold a value for a key at the
///   same time, from `value(forKey:orInsert:)`, hold the same one, until it is explicitly replaced
///   or removed. A dead value is replaced in the same step.
/// - No operation returns an object whose `deinit` has begun.
/// - `all` and `count` see each key at most once. A key present throughout the call appears; a key
///   absent throughout the call does not.
/// - No `deinit` and no `makeValue` runs inside the dictionary's critical section: both may use the
///   dictionary. The keys' `==` and `hash(into:)` do run inside: they must be short and must not
///   use the dictionary.
/// - A dead entry is removed, and its key released, within n + 1 writes, where n is the greatest
///   number of entries during that time. After a write there are at most 2 × live + 64 entries,
///   amortized. `compact` removes all dead ones. (The lock-free backend defers the release of keys
///   until the epoch allows it; see `EpochDomain`.)
///
/// No operation suspends.
public protocol ConcurrentWeakValueDictionary<Key, Value>: AnyObject, CustomStringConvertible {
  /// The type of the keys.
  associatedtype Key: Hashable
  /// The type of the values.
  associatedtype Value

  /// Creates an empty dictionary.
  init()

  /// Returns the live value for `key`; nil if there is none.
  ///
  /// - Complexity: O(1) on average.
  func value(forKey key: Key) -> Value?

  /// Returns the live value for `key`; if there is none, inserts and returns the result of
  /// `makeValue`.
  ///
  /// Several threads may evaluate `makeValue` for one key concurrently, outside the critical
  /// section. One of the values is inserted, all callers get that one, and the others are released.
  ///
  /// - Throws: The error that `makeValue` throws; this call then inserts nothing.
  /// - Complexity: amortized O(1).
  func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value

  /// Sets the value for `key`.
  ///
  /// - Complexity: amortized O(1).
  func setValue(_ value: Value, forKey key: Key)

  /// Sets the value for `key`, and returns the one that it replaces, in one step.
  ///
  /// - Returns: The old value; nil if there was none that is alive.
  /// - Complexity: amortized O(1).
  @discardableResult func updateValue(_ value: Value, forKey key: Key) -> Value?

  /// Removes `key`.
  ///
  /// - Returns: The live value that it had; nil if there was none.
  /// - Complexity: amortized O(1).
  @discardableResult func removeValue(forKey key: Key) -> Value?

  /// The live values and their keys, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var all: [(key: Key, value: Value)] { get }

  /// The number of keys whose value is alive.
  ///
  /// - Complexity: O(*n*): it checks whether each value is alive.
  var count: Int { get }

  /// The number of stored entries, including those of dead values that were not removed yet; exact
  /// while no thread writes.
  ///
  /// - Complexity: O(1).
  var entryCount: Int { get }

  /// Removes every key.
  ///
  /// - Complexity: O(*n*).
  func removeAll()

  /// Removes the entries of dead values.
  ///
  /// - Returns: The number of removed entries.
  /// - Complexity: O(*n*).
  @discardableResult func compact() -> Int
}

extension ConcurrentWeakValueDictionary {
  /// The number of entries in `all`.
  public var count: Int { all.count }

  /// Whether no value is alive.
  ///
  /// - Complexity: O(*n*).
  public var isEmpty: Bool { count == 0 }

  /// The keys whose value is alive, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var keys: [Key] { all.map(\.key) }

  /// The live values and their keys, as a standard dictionary prints them.
  public var description: String { all.dictionaryDescription() }

  /// Returns whether there is a live value for `key`.
  ///
  /// - Complexity: O(1) on average.
  public func contains(key: Key) -> Bool { value(forKey: key) != nil }

  /// Accesses the live value for `key`; setting nil removes the key.
  ///
  /// Reading and writing are separate steps: to intern a value, use `value(forKey:orInsert:)`.
  public subscript(key: Key) -> Value? {
    get { value(forKey: key) }
    set {
      if let newValue {
        setValue(newValue, forKey: key)
      } else {
        removeValue(forKey: key)
      }
    }
  }

  /// Calls `body` with the live value for `key`, which stays alive until `body` returns.
  ///
  /// Unlike that of `ConcurrentDictionary`, this function retains and releases the value: nothing
  /// else keeps it alive. So `body` runs outside every critical section and may use the dictionary.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: A closure that receives the value.
  /// - Returns: The result of `body`; nil if there is no live value.
  /// - Throws: The error that `body` throws.
  /// - Complexity: O(1) on average, plus the time of `body`.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    guard let value = value(forKey: key) else { return nil }
    return try body(value)
  }
}

/// A dictionary with weak values behind one lock. Its backends differ only in the lock.
///
/// All operations are linearizable, and `entryCount` is exact.
public final class LockedWeakValueDictionary<Key: Hashable, Value, Lock: ValueLock & ~Copyable>:
  ConcurrentWeakValueDictionary
where Lock.Value == WeakValueDictionary<Key, Value> {
  private let lock: Lock

  /// Creates an empty dictionary. Traps if `Value` is not a reference type.
  public init() {
    lock = Lock(WeakValueDictionary())
  }

  /// Returns the live value for `key`, under the read lock.
  public func value(forKey key: Key) -> Value? {
    read { $0[key] }
  }

  /// Returns the live value for `key`; if there is none, inserts and returns the result of
  /// `makeValue`, which runs outside the lock.
  public func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    if let present = value(forKey: key) { return present }
    let made = WeakReference.living(try makeValue())
    return write { values, discards in
      if let present = values[key] { return present }
      _ = values.updateValue(made, forKey: key, discards: &discards)
      return made
    }
  }

  /// Sets the value for `key` under the write lock.
  public func setValue(_ value: Value, forKey key: Key) {
    updateValue(value, forKey: key)
  }

  /// Sets the value for `key` under the write lock; returns the live value that it replaces.
  @discardableResult
  public func updateValue(_ value: Value, forKey key: Key) -> Value? {
    write { $0.updateValue(value, forKey: key, discards: &$1) }
  }

  /// Removes `key` under the write lock; returns the live value that it had.
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    write { $0.removeValue(forKey: key, discards: &$1) }
  }

  /// The live values and their keys, in no particular order, promoted under the read lock.
  public var all: [(key: Key, value: Value)] { read { $0.all } }

  /// The number of stored entries, including those of dead values that were not removed yet.
  public var entryCount: Int { read { $0.entryCount } }

  /// Removes every key under the write lock, and releases the keys outside it.
  public func removeAll() {
    // The keys are released outside the lock.
    _ = lock.write { values in
      defer { values = WeakValueDictionary() }
      return values
    }
  }

  /// Removes the entries of dead values under the write lock; returns the number of removed
  /// entries.
  @discardableResult
  public func compact() -> Int {
    write { $0.purge(discards: &$1) }
  }

  private typealias Discarded = Discards<WeakValueEntry<Key, Value>>

  private func write<R>(_ body: (inout WeakValueDictionary<Key, Value>, inout Discarded) -> R) -> R
  {
    // Declared outside the lock, so that promoted and removed references are released outside it.
    var discards = Discarded()
    return KeyCoding<Key>.guarding(self) { lock.write { body(&$0, &discards) } }
  }

  private func read<R>(_ body: (borrowing WeakValueDictionary<Key, Value>) -> R) -> R {
    KeyCoding<Key>.guarding(self) { lock.read(body) }
  }
}

// @unchecked: only `lock` accesses the entries, and it hands out only keys and values, which may be
// shared.
extension LockedWeakValueDictionary: @unchecked Sendable
where Key: Sendable, Value: Sendable, Lock: ~Copyable {}

/// The dictionary with weak values behind `Synchronization.Mutex`.
public typealias MutexWeakValueDictionary<Key: Hashable, Value> =
  LockedWeakValueDictionary<Key, Value, MutexLock<WeakValueDictionary<Key, Value>>>

/// The dictionary with weak values behind a POSIX read-write lock: readers run concurrently.
public typealias ReadWriteLockWeakValueDictionary<Key: Hashable, Value> =
  LockedWeakValueDictionary<Key, Value, ReadWriteLock<WeakValueDictionary<Key, Value>>>

/// The dictionary with weak values behind a lock that spins briefly and then sleeps.
public typealias AdaptiveLockWeakValueDictionary<Key: Hashable, Value> =
  LockedWeakValueDictionary<Key, Value, AdaptiveLock<WeakValueDictionary<Key, Value>>>

/// The dictionary with weak values behind a concurrent dispatch queue: readers run concurrently,
/// writers as barriers.
public typealias BarrierQueueWeakValueDictionary<Key: Hashable, Value> =
  LockedWeakValueDictionary<Key, Value, BarrierQueueLock<WeakValueDictionary<Key, Value>>>

/// A lock-free dictionary with weak values and epoch reclamation: an exact interner in which a
/// suspended thread never stops the others.
///
/// The release of keys, and of the memory of dead values, is deferred until the epoch allows it;
/// see `EpochDomain`.
public final class LockFreeWeakValueDictionary<Key: Hashable, Value>:
  ConcurrentWeakValueDictionary
{
  private let table: LockFreeWeakTable<Key, Value>

  /// Creates an empty dictionary in the shared domain. Traps if `Value` is not a reference type.
  public convenience init() {
    self.init(domain: .shared)
  }

  /// Creates an empty dictionary whose memory `domain` reclaims. Traps if `Value` is not a
  /// reference type.
  public init(domain: EpochDomain) {
    table = LockFreeWeakTable(domain: domain)
  }

  /// Returns the live value for `key`. Lock-free.
  public func value(forKey key: Key) -> Value? { table.object(for: key) }

  /// Returns the live value for `key`; if there is none, inserts and returns the result of
  /// `makeValue`. Lock-free, apart from `makeValue`.
  public func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    if let present = table.object(for: key) { return present }
    let made = WeakReference.living(try makeValue())
    let present = table.insert(made, for: key).present
    return present ?? made
  }

  /// Sets the value for `key`. Lock-free.
  public func setValue(_ value: Value, forKey key: Key) {
    table.replace(key, with: value, promotesOld: false)
  }

  /// Sets the value for `key`; returns the live value that it replaces. Lock-free.
  @discardableResult
  public func updateValue(_ value: Value, forKey key: Key) -> Value? {
    table.replace(key, with: value, promotesOld: true)
  }

  /// Removes `key`; returns the live value that it had. Lock-free.
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? { table.remove(key) }

  /// The live values and their keys, in no particular order.
  public var all: [(key: Key, value: Value)] { table.all.map { ($0.key, $0.object) } }

  /// The number of stored entries; exact while no thread writes.
  public var entryCount: Int { table.count }

  /// Removes the keys one by one. Keys that are inserted during the call may remain.
  public func removeAll() { table.removeAll() }

  /// Removes the entries of dead values; returns the number of removed entries.
  @discardableResult
  public func compact() -> Int { table.purge() }
}

// @unchecked: shared state is atomic or immutable; threads share keys and values only if they are
// Sendable.
extension LockFreeWeakValueDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
