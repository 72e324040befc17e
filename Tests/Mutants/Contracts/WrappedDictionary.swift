import StressTesting
import WeakCollections

/// The real dictionary behind a mutex, of which each mutant breaks one operation.
// @unchecked: the dictionary is Sendable, and so is whatever a mutant adds.
class WrappedDictionary: SynchronousDictionary, @unchecked Sendable {
  private let dictionary = MutexDictionary<StressKey, Tracked>()

  required init() {}

  func value(forKey key: StressKey) -> Tracked? { dictionary.value(forKey: key) }

  func setValue(_ value: Tracked, forKey key: StressKey) {
    dictionary.setValue(value, forKey: key)
  }

  @discardableResult
  func removeValue(forKey key: StressKey) -> Tracked? { dictionary.removeValue(forKey: key) }

  func value(forKey key: StressKey, orInsert makeValue: () -> Tracked) -> Tracked {
    dictionary.value(forKey: key, orInsert: makeValue)
  }

  func update<R, F: Error>(
    _ key: StressKey, _ body: (inout Tracked?) throws(F) -> R
  ) throws(F) -> R {
    try dictionary.update(key, body)
  }

  var count: Int { dictionary.count }

  var snapshot: [StressKey: Tracked] { dictionary.snapshot }

  func forEach<F: Error>(_ body: (StressKey, Tracked) throws(F) -> Void) throws(F) {
    try dictionary.forEach(body)
  }

  func removeAll() { dictionary.removeAll() }
}
