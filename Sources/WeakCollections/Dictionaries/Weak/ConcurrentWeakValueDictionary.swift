import EpochReclamation
import Primitives

/// A dictionary shared by threads that does not keep its values alive: an exact interner.
///
/// `Value` is a class, an actor, `AnyObject` or a class-bound protocol type; anything else traps. A
/// key whose value is dead counts as absent.
///
/// Every backend guarantees:
/// - Every operation on one key is linearizable. So all threads that hold a value for a key at the
///   same time, from `value(forKey:orInsert:)`, hold the same one, until it is explicitly replaced
///   or removed; a dead value is replaced in the same step.
/// - No operation returns an object whose `deinit` has begun.
/// - `all` and `count` see each key at most once. A key that is there throughout the call appears;
///   one that is absent throughout the call does not.
/// - No `deinit` and no `makeValue` runs inside the dictionary's critical section: both may use the
///   dictionary. The keys' `==` and `hash(into:)` do run inside: they must be short and must not
///   use it.
/// - A dead entry has a maximum life: it is removed, and its key released, within n + 1 writes,
///   where n is the greatest number of entries meanwhile. After a write there are at most 2 × live
///   + 64 entries, amortized. `compact` removes all dead ones. (The lock-free backend releases keys
///   when the epoch allows, see `EpochDomain`.)
///
/// No operation suspends.
public protocol ConcurrentWeakValueDictionary<Key, Value>: AnyObject {
  associatedtype Key: Hashable
  associatedtype Value

  /// An empty dictionary.
  init()

  /// The live value for `key`.
  ///
  /// - Complexity: O(1) on average.
  func value(forKey key: Key) -> Value?

  /// The live value for `key`; if there is none, inserts and returns the result of `makeValue`.
  ///
  /// Several threads may evaluate `makeValue` for one key concurrently, outside the critical
  /// section: one of the values wins, all callers get that one, and the others are released.
  ///
  /// - Complexity: O(1) amortized.
  func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value

  /// Makes `value` the value for `key`.
  ///
  /// - Complexity: O(1) amortized.
  func setValue(_ value: Value, forKey key: Key)

  /// Removes `key`; returns the live value it had.
  ///
  /// - Complexity: O(1) amortized.
  @discardableResult func removeValue(forKey key: Key) -> Value?

  /// The live values and their keys, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var all: [(key: Key, value: Value)] { get }

  /// The number of keys whose value is alive.
  ///
  /// - Complexity: O(*n*): it checks whether each value is alive.
  var count: Int { get }

  /// The number of stored entries, including those of values that have died unnoticed; exact while
  /// no thread writes.
  ///
  /// - Complexity: O(1).
  var entryCount: Int { get }

  /// Removes every key.
  func removeAll()

  /// Removes the entries of dead values; returns the number removed.
  ///
  /// - Complexity: O(*n*).
  @discardableResult func compact() -> Int
}

extension ConcurrentWeakValueDictionary {
  public var count: Int { all.count }
}

/// A dictionary with weak values behind one lock; the lock is the whole difference between its
/// backends.
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
    // The keys are released outside the lock.
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

// @unchecked: `lock` alone reaches the entries, and hands out only keys and values, which may be
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

/// A lock-free dictionary with weak values and epoch reclamation: an exact interner, in which no
/// suspended thread stops the others.
///
/// Keys, and the memory of dead values, are released when the epoch allows, see `EpochDomain`.
public final class LockFreeWeakValueDictionary<Key: Hashable, Value>:
  ConcurrentWeakValueDictionary
{
  private let table: LockFreeWeakTable<Key, Value>

  public convenience init() {
    self.init(domain: .shared)
  }

  /// Creates an empty dictionary whose memory `domain` reclaims.
  public init(domain: EpochDomain) {
    table = LockFreeWeakTable(domain: domain)
  }

  public func value(forKey key: Key) -> Value? { table.object(for: key) }

  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    if let present = table.object(for: key) { return present }
    let made = makeValue()
    let present = table.insert(made, for: key).present
    return present ?? made
  }

  public func setValue(_ value: Value, forKey key: Key) { table.replace(key, with: value) }

  @discardableResult
  public func removeValue(forKey key: Key) -> Value? { table.remove(key) }

  public var all: [(key: Key, value: Value)] { table.all.map { ($0.key, $0.object) } }

  public var entryCount: Int { table.count }

  /// Removes the keys one by one; keys inserted meanwhile may stay.
  public func removeAll() { table.removeAll() }

  @discardableResult
  public func compact() -> Int { table.purge() }
}

// @unchecked: what threads share is atomic or immutable; keys and values are shared only if they
// may be.
extension LockFreeWeakValueDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
