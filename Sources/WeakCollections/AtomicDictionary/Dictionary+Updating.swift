import Primitives

// Changes that let go of no key and no value: either may hold the last reference to an object, whose
// `deinit` would run inside the caller's lock. `updateValue` and `removeValue` of the standard library
// let go of the key.
extension Dictionary {
  /// Makes `value` the value for `key`; returns the one it replaces. A key that is there stays there.
  mutating func replaceValue(_ value: Value, forKey key: Key) -> Value? {
    guard let index = index(forKey: key) else {
      self[key] = value
      return nil
    }
    let old = values[index]
    values[index] = value
    return old
  }

  /// The value for `key`, which is `value` unless there is one already.
  mutating func insertIfAbsent(_ value: Value, forKey key: Key) -> Value {
    if let present = self[key] { return present }
    self[key] = value
    return value
  }

  /// Removes `key`; returns the key that was there and its value.
  mutating func takeOut(_ key: Key) -> Element? {
    index(forKey: key).map { remove(at: $0) }
  }

  /// Calls `body` with the value for `key`, with `owner`'s exclusion marked as held; nil without one.
  borrowing func borrow<R, F: Error>(
    _ key: Key, in owner: AnyObject, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    guard let index = index(forKey: key) else { return nil }
    return try Exclusion.hold(owner) { () throws(F) in try body(values[index]) }
  }

  /// Runs `body` on the value for `key`, with `owner`'s exclusion marked as held; nothing changes if it
  /// throws. The outcome carries every reference that must be released outside the exclusion.
  mutating func update<R, F: Error>(
    _ key: Key, in owner: AnyObject, _ body: (inout Value?) throws(F) -> R
  ) -> UpdateOutcome<Key, Value, R, F> {
    let index = index(forKey: key)
    let old = index.map { self[$0] }
    var new = old?.value
    let result = Exclusion.hold(owner) { Result { () throws(F) in try body(&new) } }
    if case .success = result { put(new, forKey: key, at: index) }
    return UpdateOutcome(result: result, old: old, new: new)
  }

  /// Makes `value` the value for `key`, whose place is `index` if it has one; nil removes it.
  private mutating func put(_ value: Value?, forKey key: Key, at index: Index?) {
    switch (value, index) {
    case (let value?, let index?): values[index] = value
    case (let value?, nil): self[key] = value
    case (nil, let index?): remove(at: index)
    case (nil, nil): break
    }
  }
}

/// What an `update` did, with the key and the values before and after it kept alive.
struct UpdateOutcome<Key: Hashable, Value, R, F: Error> {
  let result: Result<R, F>
  let old: Dictionary<Key, Value>.Element?
  let new: Value?
}

extension UpdateOutcome: Sendable where Key: Sendable, Value: Sendable, R: Sendable {}
