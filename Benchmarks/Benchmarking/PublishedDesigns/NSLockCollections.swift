import Foundation
import WeakCollections

/// The common hand-written design: a lock around an array of weak references, cleaned by hand.
final class NSLockWeakArray<Element>: SynchronousWeakArray, ConcurrentWeakArray {
  private let lock = NSLock()
  private var references: [WeakReference<Element>] = []

  init() {}

  @discardableResult
  func append(_ element: Element) -> Int {
    lock.withLock {
      references.append(WeakReference(element))
      if references.count > 2 * cleanedCount + 64 { clean() }
      return references.count
    }
  }

  var all: [Element] { lock.withLock { references.compactMap { $0.promote() } } }

  var entryCount: Int { lock.withLock { references.count } }

  func contains(_ element: Element) -> Bool {
    lock.withLock { references.contains { $0.refers(to: element) } }
  }

  @discardableResult
  func remove(_ element: Element) -> Bool {
    lock.withLock {
      guard let index = references.firstIndex(where: { $0.refers(to: element) }) else {
        return false
      }
      references.remove(at: index)
      return true
    }
  }

  func removeAll() {
    lock.withLock { references.removeAll() }
  }

  @discardableResult
  func compact() -> Int {
    lock.withLock {
      let count = references.count
      clean()
      return count - references.count
    }
  }

  private var cleanedCount = 0

  private func clean() {
    references.removeAll { $0.promote() == nil }
    cleanedCount = references.count
  }
}

// @unchecked: everything is touched only under `lock`.
extension NSLockWeakArray: @unchecked Sendable where Element: Sendable {}

/// The common hand-written design: a lock around a dictionary.
final class NSLockDictionary<Key: Hashable, Value>: SynchronousDictionary, ConcurrentDictionary {
  private let lock = NSLock()
  private var values: [Key: Value] = [:]

  init() {}

  func value(forKey key: Key) -> Value? {
    lock.withLock { values[key] }
  }

  func setValue(_ value: Value, forKey key: Key) {
    lock.withLock { values[key] = value }
  }

  @discardableResult
  func removeValue(forKey key: Key) -> Value? {
    lock.withLock { values.removeValue(forKey: key) }
  }

  func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    lock.lock()
    defer { lock.unlock() }
    if let value = values[key] { return value }
    let value = try makeValue()
    values[key] = value
    return value
  }

  func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&values[key])
  }

  var count: Int { lock.withLock { values.count } }

  var snapshot: [Key: Value] { lock.withLock { values } }

  func removeAll() {
    lock.withLock { values.removeAll() }
  }
}

// @unchecked: `values` is touched only under `lock`.
extension NSLockDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
