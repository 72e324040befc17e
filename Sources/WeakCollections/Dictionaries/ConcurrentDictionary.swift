/// A dictionary that threads share.
///
/// Every backend guarantees:
/// - Every operation on one key is linearizable.
/// - `snapshot`, `forEach` and `removeAll` see each key at most once. A key present throughout the
///   call appears; a key absent throughout the call does not.
/// - `count` is exact while no thread writes. Otherwise it may include only some of the concurrent
///   insertions and removals, and may be too low or too high.
/// - No `deinit`, no default value and no `forEach` body runs inside the dictionary's critical
///   section; all of them may use the dictionary. The bodies of `update` and `withValue` do run
///   inside, and so do the keys' `==` and `hash(into:)`, which must be short. Any use of the
///   dictionary from there traps, in every backend that calls them.
/// - A removed value is released in the call that removed it, outside the critical section. In
///   `lockFree` and `bucketLock` there are exceptions, where a thread of the library releases the
///   value, usually within milliseconds; see `LockFreeDictionary`.
/// - Keys that are not equal to themselves, such as `Double.nan`, behave as in `Dictionary`: each
///   `setValue` adds an entry that no key finds.
/// - An object whose `deinit` has begun must not be stored: the process may end with one line.
///
/// The requirements are `async` for backends that suspend. A backend that never suspends conforms
/// to `SynchronousDictionary` too, with the same plain functions.
public protocol ConcurrentDictionary<Key, Value>: AnyObject {
  /// The type of the keys.
  associatedtype Key: Hashable
  /// The type of the values.
  associatedtype Value

  /// Creates an empty dictionary.
  init()

  /// Returns the value for `key`; nil if there is none.
  ///
  /// The copy retains what the value refers to. Threads that read the same object compete for its
  /// reference count; `withValue(forKey:_:)` does not change it.
  ///
  /// - Complexity: O(1) on average.
  func value(forKey key: Key) async -> Value?

  /// Returns the values for `keys`, in the same order; nil where there is none. Each lookup is a
  /// separate operation.
  ///
  /// - Complexity: O(*n*) on average. Backends that look up several keys at the same time need less
  ///   time for each key than `value(forKey:)`.
  func values(forKeys keys: [Key]) async -> [Value?]

  /// Calls `body` with the value for `key`, without copying the value if the backend can avoid it.
  ///
  /// `body` traps if it uses this dictionary. In a backend that locks, it runs inside the critical
  /// section. In `lockFree` and `bucketLock`, whose readers take no lock, it runs while the epoch
  /// is pinned, and what other threads remove from the dictionary meanwhile is released after it.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: A short closure.
  /// - Returns: The result of `body`; nil if there is no value.
  /// - Throws: The error that `body` throws.
  func withValue<R: Sendable, F: Error>(
    forKey key: Key, _ body: @Sendable (borrowing Value) throws(F) -> R
  ) async throws(F) -> R?

  /// Sets the value for `key`.
  ///
  /// - Complexity: amortized O(1).
  func setValue(_ value: Value, forKey key: Key) async

  /// Sets the value for `key`, and returns the one that it replaces, in one step.
  ///
  /// - Returns: The old value; nil if there was none.
  /// - Complexity: amortized O(1).
  @discardableResult func updateValue(_ value: Value, forKey key: Key) async -> Value?

  /// Removes `key`.
  ///
  /// - Returns: The value that `key` had; nil if there was none.
  /// - Complexity: amortized O(1).
  @discardableResult func removeValue(forKey key: Key) async -> Value?

  /// Returns the value for `key`; if there is none, inserts and returns the result of `makeValue`.
  ///
  /// Several threads may evaluate `makeValue` for one key concurrently, outside the critical
  /// section. One of the values is inserted, all callers get that one, and the others are released.
  ///
  /// - Throws: The error that `makeValue` throws; this call then inserts nothing.
  /// - Complexity: amortized O(1).
  func value<F: Error>(
    forKey key: Key, orInsert makeValue: @Sendable () throws(F) -> Value
  ) async throws(F) -> Value

  /// Changes the value for `key` in one step.
  ///
  /// `body` runs exactly once, while no other operation changes this key. The old value stays alive
  /// until after it. Any use of this dictionary inside `body` traps. If `body` calls `update` of a
  /// second dictionary, all threads must nest the two in the same order: otherwise they may
  /// deadlock, as with two locks.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: A closure that receives the value, nil if there is none. Setting nil removes the
  ///     key.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws; the dictionary is then unchanged.
  /// - Complexity: amortized O(1), plus the time of `body`.
  func update<R: Sendable, F: Error>(
    _ key: Key, _ body: @Sendable (inout Value?) throws(F) -> R
  ) async throws(F) -> R

  /// The number of keys.
  var count: Int { get async }

  /// Whether there is no key; as exact as `count`.
  var isEmpty: Bool { get async }

  /// Returns whether there is a value for `key`.
  ///
  /// - Complexity: O(1) on average.
  func contains(key: Key) async -> Bool

  /// A copy with all keys and values.
  ///
  /// - Complexity: O(*n*).
  var snapshot: [Key: Value] { get async }

  /// The keys of a snapshot.
  ///
  /// - Complexity: O(*n*).
  var keys: Dictionary<Key, Value>.Keys { get async }

  /// Calls `body` with each key and value of a snapshot, outside the critical section.
  ///
  /// - Throws: The error that `body` throws; the remaining keys are then skipped.
  func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) async throws(F)

  /// Removes every key.
  ///
  /// - Complexity: O(*n*).
  func removeAll() async

  /// Removes the keys of a snapshot whose value `shouldRemove` accepts.
  ///
  /// Each key is removed in a step of its own. `shouldRemove` is called outside the critical
  /// section first. If it accepts, it is called once more inside, as the body of `update`, with the
  /// value that the key has then, so that no value is removed that it did not accept.
  ///
  /// - Parameter shouldRemove: A short closure that must not use this dictionary.
  /// - Returns: The number of removed keys.
  /// - Throws: The error that `shouldRemove` throws; the remaining keys are then skipped.
  /// - Complexity: O(*n*).
  @discardableResult
  func removeAll<F: Error>(
    where shouldRemove: @Sendable (Key, Value) throws(F) -> Bool
  ) async throws(F) -> Int
}

// For actors alone, as in `ConcurrentWeakArray`.
extension ConcurrentDictionary where Self: Actor {
  /// Returns the values for `keys`, looked up one after the other.
  public nonisolated func values(forKeys keys: [Key]) async -> [Value?] {
    var values: [Value?] = []
    values.reserveCapacity(keys.count)
    for key in keys { values.append(await value(forKey: key)) }
    return values
  }

  /// Calls `body` with a copy of the value, outside every critical section.
  public nonisolated func withValue<R: Sendable, F: Error>(
    forKey key: Key, _ body: @Sendable (borrowing Value) throws(F) -> R
  ) async throws(F) -> R? {
    guard let value = await value(forKey: key) else { return nil }
    return try body(value)
  }

  /// Calls `body` with each key and value of a snapshot.
  public nonisolated func forEach<F: Error>(
    _ body: (Key, Value) throws(F) -> Void
  ) async throws(F) {
    try await Array(snapshot).visit { pair throws(F) in try body(pair.key, pair.value) }
  }

  /// Whether there is no key.
  public nonisolated var isEmpty: Bool {
    get async { await count == 0 }
  }

  /// The keys of a snapshot.
  public nonisolated var keys: Dictionary<Key, Value>.Keys {
    get async { await snapshot.keys }
  }
}

extension ConcurrentDictionary where Self: Actor, Key: Sendable, Value: Sendable {
  /// Returns whether there is a value for `key`.
  public nonisolated func contains(key: Key) async -> Bool {
    await withValue(forKey: key) { _ in true } ?? false
  }

  /// Sets the value for `key`; returns the old one.
  @discardableResult
  public nonisolated func updateValue(_ value: Value, forKey key: Key) async -> Value? {
    await update(key) { current in
      defer { current = value }
      return current
    }
  }

  /// Removes the keys of a snapshot whose value `shouldRemove` accepts; returns their number.
  @discardableResult
  public nonisolated func removeAll<F: Error>(
    where shouldRemove: @Sendable (Key, Value) throws(F) -> Bool
  ) async throws(F) -> Int {
    var removed = 0
    for (key, value) in await snapshot where try shouldRemove(key, value) {
      let old = try await update(key) { current throws(F) in
        try takeOut(&current) { value throws(F) in try shouldRemove(key, value) }
      }
      if old != nil { removed += 1 }
    }
    return removed
  }
}

/// Sets `value` to nil if `shouldRemove` accepts it, and returns it then.
private func takeOut<Value, F: Error>(
  _ value: inout Value?, where shouldRemove: (Value) throws(F) -> Bool
) throws(F) -> Value? {
  guard let current = value, try shouldRemove(current) else { return nil }
  value = nil
  return current
}

/// A dictionary that never suspends: its members need no `await`, also in asynchronous functions.
///
/// Each requirement has the meaning of the one of `ConcurrentDictionary` with the same name. Every
/// synchronous backend conforms to both protocols, as with `SynchronousWeakArray`.
public protocol SynchronousDictionary<Key, Value>: AnyObject, CustomStringConvertible {
  /// The type of the keys.
  associatedtype Key: Hashable
  /// The type of the values.
  associatedtype Value

  /// Creates an empty dictionary.
  init()

  /// Returns the value for `key`; nil if there is none.
  func value(forKey key: Key) -> Value?
  /// Returns the values for `keys`, in the same order; nil where there is none.
  func values(forKeys keys: [Key]) -> [Value?]
  /// Calls `body` with the value for `key`, without copying the value if the backend can avoid it.
  func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R?
  /// Sets the value for `key`.
  func setValue(_ value: Value, forKey key: Key)
  /// Removes `key`; returns the value that it had.
  @discardableResult func removeValue(forKey key: Key) -> Value?
  /// Returns the value for `key`; if there is none, inserts and returns the result of `makeValue`.
  func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value
  /// Changes the value for `key` in one step; returns the result of `body`.
  func update<R, F: Error>(_ key: Key, _ body: (inout Value?) throws(F) -> R) throws(F) -> R
  /// The number of keys; exact while no thread writes.
  var count: Int { get }
  /// Returns whether there is a value for `key`.
  func contains(key: Key) -> Bool
  /// A copy with all keys and values.
  var snapshot: [Key: Value] { get }
  /// Calls `body` with each key and value of a snapshot, outside the critical section.
  func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) throws(F)
  /// Removes every key.
  func removeAll()
}

extension SynchronousDictionary {
  /// Returns the values for `keys`, looked up one after the other.
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

  /// Calls `body` with each key and value of a snapshot.
  public func forEach<F: Error>(_ body: (Key, Value) throws(F) -> Void) throws(F) {
    try Array(snapshot).visit { pair throws(F) in try body(pair.key, pair.value) }
  }

  /// Creates a dictionary with the keys and values of a sequence. Traps if a key occurs twice.
  ///
  /// - Complexity: O(*n*) on average in the length of the sequence.
  public init(uniqueKeysWithValues pairs: some Sequence<(Key, Value)>) {
    self.init()
    for (key, value) in pairs {
      guard updateValue(value, forKey: key) == nil else {
        fatalError("the key \(key) occurs twice; keys must be unique")
      }
    }
  }

  /// Creates a dictionary with the keys and values of a literal. Traps if a key occurs twice.
  ///
  /// A type that conforms to `ExpressibleByDictionaryLiteral` needs no other initializer.
  public init(dictionaryLiteral pairs: (Key, Value)...) {
    self.init(uniqueKeysWithValues: pairs)
  }

  /// The keys and values of a snapshot, as a standard dictionary prints them.
  ///
  /// - Complexity: O(*n*).
  public var description: String { snapshot.description }

  /// Whether there is no key; as exact as `count`.
  public var isEmpty: Bool { count == 0 }

  /// The keys of a snapshot.
  ///
  /// - Complexity: O(*n*).
  public var keys: Dictionary<Key, Value>.Keys { snapshot.keys }

  /// Returns whether there is a value for `key`.
  ///
  /// - Complexity: O(1) on average.
  public func contains(key: Key) -> Bool {
    withValue(forKey: key) { _ in true } ?? false
  }

  /// Sets the value for `key`, and returns the one that it replaces, in one step.
  @discardableResult
  public func updateValue(_ value: Value, forKey key: Key) -> Value? {
    update(key) { current in
      defer { current = value }
      return current
    }
  }

  /// Removes the keys of a snapshot whose value `shouldRemove` accepts; returns their number.
  ///
  /// `shouldRemove` is called inside the critical section too, and so must not use this dictionary;
  /// see `ConcurrentDictionary`.
  @discardableResult
  public func removeAll<F: Error>(
    where shouldRemove: (Key, Value) throws(F) -> Bool
  ) throws(F) -> Int {
    var removed = 0
    for (key, value) in snapshot where try shouldRemove(key, value) {
      let old = try update(key) { current throws(F) in
        try takeOut(&current) { value throws(F) in try shouldRemove(key, value) }
      }
      if old != nil { removed += 1 }
    }
    return removed
  }

  /// Accesses the value for `key`; setting nil removes the key.
  ///
  /// Reading and writing are separate steps: `dictionary[key]? += 1` may lose an update of another
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

  /// Accesses the value for `key`; if there is none, inserts and returns `defaultValue`.
  ///
  /// Read-only, so that `dictionary[key, default: 0] += 1`, which could lose updates, does not
  /// compile. Use `update` instead.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    value(forKey: key, orInsert: defaultValue)
  }
}
