import Foundation
import WeakCollections

/// The type to measure: here, a dictionary behind one lock.
final class YourDictionary: SynchronousDictionary, @unchecked Sendable {
  // @unchecked: `storage` is touched under `lock` alone.
  private let lock = NSLock()
  private var storage: [Int: Int] = [:]

  func value(forKey key: Int) -> Int? { lock.withLock { storage[key] } }
  func setValue(_ value: Int, forKey key: Int) { lock.withLock { storage[key] = value } }
  func removeValue(forKey key: Int) -> Int? { lock.withLock { storage.removeValue(forKey: key) } }

  func value(forKey key: Int, orInsert makeValue: () -> Int) -> Int {
    if let value = value(forKey: key) { return value }
    let new = makeValue()
    return update(key) { value in
      value = value ?? new
      return value ?? new
    }
  }

  func update<R, F: Error>(_ key: Int, _ body: (inout Int?) throws(F) -> R) throws(F) -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&storage[key])
  }

  var count: Int { lock.withLock { storage.count } }
  var snapshot: [Int: Int] { lock.withLock { storage } }
  func removeAll() { lock.withLock { storage.removeAll() } }
}
