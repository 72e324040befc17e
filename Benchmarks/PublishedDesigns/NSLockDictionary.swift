import Foundation
import WeakCollections

/// What people write today: a lock around a dictionary.
public final class NSLockDictionary<Key: Hashable, Value>: SynchronousDictionary {
  private let lock = NSLock()
  private var values: [Key: Value] = [:]

  public init() {}

  public func value(forKey key: Key) -> Value? {
    lock.withLock { values[key] }
  }

  public func setValue(_ value: Value, forKey key: Key) {
    lock.withLock { values[key] = value }
  }

  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    lock.withLock { values.removeValue(forKey: key) }
  }

  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    lock.withLock {
      if let value = values[key] { return value }
      let value = makeValue()
      values[key] = value
      return value
    }
  }

  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&values[key])
  }

  public var count: Int { lock.withLock { values.count } }

  public var snapshot: [Key: Value] { lock.withLock { values } }

  public func removeAll() {
    lock.withLock { values.removeAll() }
  }
}

// @unchecked: `values` is touched only under `lock`.
extension NSLockDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
