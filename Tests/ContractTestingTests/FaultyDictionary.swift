import Foundation
import Synchronization
import WeakCollections

/// A dictionary behind one lock, with one fault.
// @unchecked: only code that holds `lock` uses `storage` and `removed`.
class FaultyDictionary<Key: Hashable & Sendable, Value: Sendable>:
  SynchronousDictionary, ConcurrentDictionary, @unchecked Sendable
{
  fileprivate let lock = NSLock()
  fileprivate var storage: [Key: Value] = [:]
  fileprivate var removed: [Value] = []

  required init() {}

  func value(forKey key: Key) -> Value? { lock.withLock { storage[key] } }

  func setValue(_ value: Value, forKey key: Key) {
    // The old value is the closure's result, so that it is released outside the lock.
    _ = lock.withLock { storage.updateValue(value, forKey: key) }
  }

  func removeValue(forKey key: Key) -> Value? {
    // As in `setValue`, and the key as well.
    lock.withLock { take(key) }?.1
  }

  private func take(_ key: Key) -> (Key, Value)? {
    storage.index(forKey: key).map { storage.remove(at: $0) }
  }

  func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    if let value = value(forKey: key) { return value }
    let new = try makeValue()
    return lock.withLock {
      if let present = storage[key] { return present }
      storage[key] = new
      return new
    }
  }

  func update<R, F: Error>(_ key: Key, _ body: (inout Value?) throws(F) -> R) throws(F) -> R {
    // Declared before the lock is taken, so that they are released after it.
    var old: Value?
    var new: Value?
    var removed: (Key, Value)?
    defer { withExtendedLifetime((old, new, removed)) {} }
    lock.lock()
    defer { lock.unlock() }
    old = storage[key]
    new = old
    let result = try body(&new)
    if let new { storage[key] = new } else { removed = take(key) }
    return result
  }

  var count: Int { lock.withLock { storage.count } }

  var snapshot: [Key: Value] { lock.withLock { storage } }

  func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) throws(F) {
    for (key, value) in snapshot { try body(key, value) }
  }

  func removeAll() {
    _ = lock.withLock {
      defer { storage = [:] }
      return storage
    }
  }
}

/// No fault.
// @unchecked: it has no state but its superclass's.
final class SoundDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{}

/// Get-or-insert that looks and inserts in two steps, and does not look again.
// @unchecked: it has no state but its superclass's.
final class CheckThenActDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  override func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    if let value = value(forKey: key) { return value }
    let new = try makeValue()
    setValue(new, forKey: key)
    return new
  }
}

/// Threads that wait for a lock that they hold themselves.
///
/// The time limit of a check has passed when such a thread exists, whatever the clock says: on a
/// busy machine, the time could pass before the check has reached the operation that hangs.
final class Deadlocks: Sendable {
  static let ofReleases = Deadlocks()
  static let ofStuckDictionaries = Deadlocks()

  private let threads = Atomic(0)
  private let limits = Atomic(0)

  // Relaxed, all: the counts order no other memory.

  func add() { threads.add(1, ordering: .relaxed) }

  /// Suspends until there is one more thread than at the last call.
  @Sendable func wait(_: Duration) async throws {
    let count = limits.add(1, ordering: .relaxed).newValue
    while threads.load(ordering: .relaxed) < count { try await Task.sleep(for: .milliseconds(1)) }
  }
}

/// Replaced values are released under the lock. Only one thread may use the dictionary.
// @unchecked: only one thread uses `isReleasing`, and otherwise it has its superclass's state.
final class ReleasingUnderLockDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  private var isReleasing = false

  override func setValue(_ value: Value, forKey key: Key) {
    if isReleasing { Deadlocks.ofReleases.add() }
    lock.withLock {
      isReleasing = true
      storage[key] = value
      isReleasing = false
    }
  }
}

/// Removals of absent keys are counted.
// @unchecked: only code that holds `lock` uses `drift`.
final class DriftingCountDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  private var drift = 0

  override func removeValue(forKey key: Key) -> Value? {
    lock.withLock {
      if storage[key] == nil { drift += 1 }
      return storage.removeValue(forKey: key)
    }
  }

  override var count: Int { lock.withLock { storage.count - drift } }
}

/// Update reads and writes in two steps.
// @unchecked: it has no state but its superclass's.
final class LosingUpdateDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  override func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    var value = value(forKey: key)
    let result = try body(&value)
    if let value { setValue(value, forKey: key) } else { _ = removeValue(forKey: key) }
    return result
  }
}

/// Update keeps what a body that throws has stored.
// @unchecked: it has no state but its superclass's.
final class PartialUpdateDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  override func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&storage[key])
  }
}

/// A large table is visited from one key too early.
// @unchecked: it has no state but its superclass's.
final class VisitingTwiceDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  override func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) throws(F) {
    let all = Array(snapshot)
    for (key, value) in (all.count > 60 ? all.prefix(1) : []) + all { try body(key, value) }
  }
}

/// A table that grows is briefly empty.
// @unchecked: it has no state but its superclass's.
final class LosingWhileGrowingDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  override func setValue(_ value: Value, forKey key: Key) {
    let old = lock.withLock {
      storage[key] = value
      guard storage.count > 60, storage.count.isMultiple(of: 20) else { return [:] as [Key: Value] }
      defer { storage = [:] }
      return storage
    }
    guard !old.isEmpty else { return }
    sched_yield()
    lock.withLock { storage.merge(old) { new, _ in new } }
  }
}

/// Removed values are kept.
// @unchecked: it has no state but its superclass's.
final class LeakingDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  override func removeValue(forKey key: Key) -> Value? {
    lock.withLock {
      let value = storage.removeValue(forKey: key)
      if let value { removed.append(value) }
      return value
    }
  }
}

/// Keys are compared by their hashes alone.
// @unchecked: it has no state but its superclass's.
final class TrustingHashDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  override func value(forKey key: Key) -> Value? {
    lock.withLock { storage.first { $0.key.hashValue == key.hashValue }?.value }
  }
}

/// No operation returns.
// @unchecked: it has no state but its superclass's.
final class StuckDictionary<Key: Hashable & Sendable, Value: Sendable>:
  FaultyDictionary<Key, Value>, @unchecked Sendable
{
  override func setValue(_ value: Value, forKey key: Key) {
    lock.lock()
    Deadlocks.ofStuckDictionaries.add()
    lock.lock()
  }
}
