import WeakCollections

/// A dictionary with keys that stand in its table, where a stress key is in a node.
final class NumberedDictionary<Inner: SynchronousDictionary<Int, Tracked> & Sendable>:
  SynchronousDictionary, Sendable
{
  private let inner: Inner

  init(_ inner: Inner) {
    self.inner = inner
  }

  convenience init() {
    self.init(Inner())
  }

  func value(forKey key: StressKey) -> Tracked? { inner.value(forKey: Self.number(of: key)) }

  func setValue(_ value: Tracked, forKey key: StressKey) {
    inner.setValue(value, forKey: Self.number(of: key))
  }

  @discardableResult
  func removeValue(forKey key: StressKey) -> Tracked? {
    inner.removeValue(forKey: Self.number(of: key))
  }

  func value(forKey key: StressKey, orInsert makeValue: () -> Tracked) -> Tracked {
    inner.value(forKey: Self.number(of: key), orInsert: makeValue)
  }

  func update<R, F: Error>(
    _ key: StressKey, _ body: (inout Tracked?) throws(F) -> R
  ) throws(F) -> R {
    try inner.update(Self.number(of: key), body)
  }

  var count: Int { inner.count }

  var snapshot: [StressKey: Tracked] {
    var snapshot: [StressKey: Tracked] = [:]
    for (number, value) in inner.snapshot { snapshot[Self.key(number)] = value }
    return snapshot
  }

  func removeAll() { inner.removeAll() }

  // The first key becomes the one whose word is 0, which has a cell of its own.
  private static func number(of key: StressKey) -> Int { .min &+ key.number }
  private static func key(_ number: Int) -> StressKey { StressKey(number &- .min) }
}
