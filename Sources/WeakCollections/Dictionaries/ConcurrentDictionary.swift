/// A dictionary shared by threads.
///
/// Every backend guarantees:
/// - Every operation on one key is linearizable.
/// - `count`, `snapshot`, `forEach` and `removeAll` see each key at most once; a key present
///   throughout the call appears, one absent throughout the call does not. `count` is exact while
///   no thread writes.
/// - No `deinit`, no default value and no `forEach` body runs inside the dictionary's critical
///   section; all of them may use the dictionary. The bodies of `update` and `withValue` do run
///   inside, and so do the keys' `==` and `hash(into:)`, which must be short and must not use the
///   dictionary.
/// - A removed value is released outside the critical section. The lock-free backend and the
///   bucket-lock backend release it when the epoch allows, see `EpochDomain`.
///
/// The requirements are `async` for the backends that suspend. A backend that never suspends
/// conforms with plain functions, which `SynchronousDictionary` requires.
public protocol ConcurrentDictionary<Key, Value>: AnyObject {
  associatedtype Key: Hashable
  associatedtype Value

  /// An empty dictionary.
  init()

  /// The value for `key`, or nil.
  ///
  /// - Complexity: O(1) on average.
  func value(forKey key: Key) async -> Value?

  /// The values for `keys`, by their index; nil where there is none. Each lookup is an operation of
  /// its own.
  ///
  /// - Complexity: O(*n*) on average; takes less time for each key than `value(forKey:)` where the
  ///   backend looks up several keys at the same time.
  func values(forKeys keys: [Key]) async -> [Value?]

  /// Calls `body` with the value for `key`, without copying the value where the backend can;
  /// returns nil if there is none.
  ///
  /// `body` should be short. In a backend that locks, it runs inside the critical section, and
  /// traps if it uses this dictionary. In `lockFree` and `bucketLock`, whose readers take no lock,
  /// it runs with the epoch pinned.
  func withValue<R: Sendable, F: Error>(
    forKey key: Key, _ body: @Sendable (borrowing Value) throws(F) -> R
  ) async throws(F) -> R?

  /// Makes `value` the value for `key`.
  ///
  /// - Complexity: O(1) amortized.
  func setValue(_ value: Value, forKey key: Key) async

  /// Removes `key`; returns the value it had.
  ///
  /// - Complexity: O(1) amortized.
  @discardableResult func removeValue(forKey key: Key) async -> Value?

  /// The value for `key`; if there is none, inserts and returns the result of `makeValue`.
  ///
  /// Several threads may evaluate `makeValue` for one key concurrently, outside the critical
  /// section: one of the values wins, all callers get that one, and the others are released.
  func value(forKey key: Key, orInsert makeValue: @Sendable () -> Value) async -> Value

  /// Changes the value for `key` in one step: `body` gets nil if there is none, and sets nil to
  /// remove it.
  ///
  /// `body` runs exactly once, while no other operation changes this key; the old value is kept
  /// alive until after it. If `body` throws, nothing changes. It must not use this dictionary: a
  /// backend that locks traps on any use from inside `body`, `lockFree` and `bucketLock` on any
  /// change.
  func update<R: Sendable, F: Error>(
    _ key: Key, _ body: @Sendable (inout Value?) throws(F) -> R
  ) async throws(F) -> R

  /// The number of keys.
  var count: Int { get async }

  /// All keys and values.
  ///
  /// - Complexity: O(*n*).
  var snapshot: [Key: Value] { get async }

  /// Calls `body` with each key and value of a snapshot, outside the critical section.
  func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) async throws(F)

  /// Removes every key.
  ///
  /// - Complexity: O(*n*).
  func removeAll() async
}

extension ConcurrentDictionary {
  public func values(forKeys keys: [Key]) async -> [Value?] {
    var values: [Value?] = []
    values.reserveCapacity(keys.count)
    for key in keys { values.append(await value(forKey: key)) }
    return values
  }

  /// Calls `body` with a copy of the value, outside every critical section.
  public func withValue<R: Sendable, F: Error>(
    forKey key: Key, _ body: @Sendable (borrowing Value) throws(F) -> R
  ) async throws(F) -> R? {
    guard let value = await value(forKey: key) else { return nil }
    return try body(value)
  }

  public func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) async throws(F) {
    try await Array(snapshot).visit { pair throws(F) in try body(pair.key, pair.value) }
  }
}

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

  /// Calls `body` with a copy of the value, outside every critical section.
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
  /// Reading and writing are two steps: `dictionary[key]? += 1` may lose an update of another
  /// thread. `update` does not.
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

  /// The value for `key`; if there is none, inserts and returns `defaultValue`.
  ///
  /// Cannot be assigned to, so that `dictionary[key, default: 0] += 1`, which would lose updates,
  /// does not compile; `update` is for that.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    value(forKey: key, orInsert: defaultValue)
  }
}
