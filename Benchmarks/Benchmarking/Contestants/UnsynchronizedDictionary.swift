import WeakCollections

/// The standard library's dictionary, for one thread at a time: what synchronization costs nothing.
final class UnsynchronizedDictionary<Key: Hashable & Sendable, Value: Sendable>:
  // @unchecked: handed from thread to thread by tasks, and used by one at a time.
  SynchronousDictionary, @unchecked Sendable
{
  // Memory of its own, whose accesses no run-time check of exclusivity makes slower.
  private let storage: UnsafeMutablePointer<[Key: Value]>

  init() {
    storage = .allocate(capacity: 1)
    storage.initialize(to: [:])
  }

  deinit {
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  func value(forKey key: Key) -> Value? { storage.pointee[key] }
  func setValue(_ value: Value, forKey key: Key) { storage.pointee[key] = value }
  func removeValue(forKey key: Key) -> Value? { storage.pointee.removeValue(forKey: key) }

  func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    if let value = storage.pointee[key] { return value }
    let value = makeValue()
    storage.pointee[key] = value
    return value
  }

  func update<R, F: Error>(_ key: Key, _ body: (inout Value?) throws(F) -> R) throws(F) -> R {
    var value = storage.pointee[key]
    let result = try body(&value)
    storage.pointee[key] = value
    return result
  }

  var count: Int { storage.pointee.count }
  var snapshot: [Key: Value] { storage.pointee }
  func removeAll() { storage.pointee.removeAll() }
}
