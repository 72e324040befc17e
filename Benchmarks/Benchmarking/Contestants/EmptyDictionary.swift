import WeakCollections

/// A dictionary that does nothing: timing it times the benchmark.
final class EmptyDictionary: SynchronousDictionary, Sendable {
  typealias Key = Int
  typealias Value = Int

  func value(forKey key: Int) -> Int? { nil }
  func setValue(_ value: Int, forKey key: Int) {}
  func removeValue(forKey key: Int) -> Int? { nil }
  func value(forKey key: Int, orInsert makeValue: () -> Int) -> Int { makeValue() }

  func update<R, F: Error>(_ key: Int, _ body: (inout Int?) throws(F) -> R) throws(F) -> R {
    var value: Int?
    return try body(&value)
  }

  var count: Int { 0 }
  var snapshot: [Int: Int] { [:] }
  func removeAll() {}
}
