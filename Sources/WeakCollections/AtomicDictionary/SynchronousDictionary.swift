/// A `ConcurrentDictionary` that never suspends: the same operations for code without `await`.
///
/// The properties are requirements of their own (`@_nonoverride`), as in `SynchronousWeakArray`.
public protocol SynchronousDictionary<Key, Value>: ConcurrentDictionary {
  func value(forKey key: Key) -> Value?
  func values(forKeys keys: [Key]) -> [Value?]
  func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R?
  func setValue(_ value: Value, forKey key: Key)
  @discardableResult func removeValue(forKey key: Key) -> Value?
  func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value
  func update<R, F: Error>(_ key: Key, _ body: (inout Value?) throws(F) -> R) throws(F) -> R
  @_nonoverride var count: Int { get }
  @_nonoverride var snapshot: [Key: Value] { get }
  func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) throws(F)
  func removeAll()
}

extension SynchronousDictionary {
  public func values(forKeys keys: [Key]) -> [Value?] {
    keys.map { value(forKey: $0) }
  }

  /// Of a copy, outside every exclusion.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    guard let value = value(forKey: key) else { return nil }
    return try body(value)
  }

  public func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) throws(F) {
    try Array(snapshot).visit { pair throws(F) in try body(pair.key, pair.value) }
  }

  /// The value for `key`; setting nil removes it.
  ///
  /// Reading and writing are two steps: `dictionary[key]? += 1` may lose an update of another thread.
  /// `update` does not.
  public subscript(key: Key) -> Value? {
    get { value(forKey: key) }
    set {
      if let newValue {
        setValue(newValue, forKey: key)
      } else {
        removeValue(forKey: key)
      }
    }
  }

  /// The value for `key`; if there is none, `defaultValue` is inserted and becomes it.
  ///
  /// Cannot be assigned to, so that `dictionary[key, default: 0] += 1`, which would lose updates, does
  /// not compile; `update` is for that.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    value(forKey: key, orInsert: defaultValue)
  }
}
