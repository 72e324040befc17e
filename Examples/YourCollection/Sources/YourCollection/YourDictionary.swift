// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The protocol documents its requirements.

import Foundation
import WeakCollections

/// The collection to test and to measure: here, a dictionary behind one lock.
// @unchecked: only code that holds `lock` uses `storage`.
public final class YourDictionary<Key: Hashable & Sendable, Value: Sendable>:
  SynchronousDictionary, ConcurrentDictionary, @unchecked Sendable
{
  private let lock = NSLock()
  private var storage: [Key: Value] = [:]

  public init() {}

  // A closure returns what it removes, so that no deinit runs under the lock.

  public func value(forKey key: Key) -> Value? { lock.withLock { storage[key] } }

  public func setValue(_ value: Value, forKey key: Key) {
    _ = lock.withLock { storage.updateValue(value, forKey: key) }
  }

  public func removeValue(forKey key: Key) -> Value? {
    lock.withLock { take(key) }?.1
  }

  private func take(_ key: Key) -> (Key, Value)? {
    storage.index(forKey: key).map { storage.remove(at: $0) }
  }

  public func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    if let value = value(forKey: key) { return value }
    let new = try makeValue()
    return lock.withLock {
      #if !SeededFault
        // Another thread may have inserted a value meanwhile: then all must get that one.
        if let winner = storage[key] { return winner }
      #endif
      storage[key] = new
      return new
    }
  }

  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
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

  public var count: Int { lock.withLock { storage.count } }

  public var snapshot: [Key: Value] { lock.withLock { storage } }

  public func removeAll() {
    _ = lock.withLock {
      defer { storage = [:] }
      return storage
    }
  }
}
