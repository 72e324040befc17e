import WeakCollections

/// A dictionary that does nothing: timing it times the benchmark.
final class EmptyDictionary<Key: Hashable & Sendable, Value: Sendable>: SynchronousDictionary,
  Sendable
{
  func value(forKey key: Key) -> Value? { nil }
  func setValue(_ value: Value, forKey key: Key) {}
  func removeValue(forKey key: Key) -> Value? { nil }
  func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value { makeValue() }

  func update<R, F: Error>(_ key: Key, _ body: (inout Value?) throws(F) -> R) throws(F) -> R {
    var value: Value?
    return try body(&value)
  }

  var count: Int { 0 }
  var snapshot: [Key: Value] { [:] }
  func removeAll() {}
}
