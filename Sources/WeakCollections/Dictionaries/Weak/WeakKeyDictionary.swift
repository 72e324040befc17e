/// A dictionary that does not keep its keys alive, and distinguishes them by identity.
public typealias WeakKeyDictionary<Key, Value> = KeyedWeakDictionary<IdentityKeying<Key>, Value>

/// A dictionary that does not keep its keys alive, and distinguishes them by `==`.
public typealias WeakEqualityKeyDictionary<Key: Hashable, Value> =
  KeyedWeakDictionary<EqualityKeying<Key>, Value>

/// A dictionary that does not keep its keys alive; `WeakKeyDictionary` and
/// `WeakEqualityKeyDictionary` are its names.
///
/// ```swift
/// var sizes = WeakKeyDictionary<View, Size>()
/// sizes[view] = Size(width: 1, height: 1)
/// ```
///
/// Keys are of a class, an actor, `AnyObject` or a class-bound protocol type; anything else traps.
/// Not thread-safe, like any other value.
///
/// No operation returns the value of a dead key. One of the next n + 1 writes releases it, where n
/// is the greatest number of entries meanwhile; `compact()` releases it immediately, and an
/// iteration never. After any mutation there are at most 2 × live + 64 entries, amortized. As with
/// a standard dictionary, the `deinit` of a value must not use the variable that a mutation is
/// changing.
///
/// A value that refers strongly to its own key, directly or through other objects, keeps it alive
/// indefinitely: only a tracing garbage collector could detect this. Let such a value refer weakly
/// to its key.
public struct KeyedWeakDictionary<Keying: WeakKeying, Value> {
  public typealias Key = Keying.Object
  typealias Table = WeakKeyTable<Keying, Value>

  private var entries = Table()

  public init() {
    ReferenceLayout.require(Key.self)
  }

  /// The value for `key`; setting nil removes it.
  ///
  /// - Complexity: O(1), amortized where it adds.
  public subscript(key: Key) -> Value? {
    get {
      var discards = Discards<Table.Entry>()
      return entries.value(for: key, discards: &discards)
    }
    set {
      if let newValue {
        updateValue(newValue, forKey: key)
      } else {
        removeValue(forKey: key)
      }
    }
  }

  /// The value for `key`, or `defaultValue`, which assigning to it inserts.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
  }

  /// Makes `value` the value for `key`; returns the one it replaces.
  @discardableResult
  public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
    var discards = Discards<Table.Entry>()
    return entries.setValue(value, for: key, discards: &discards)
  }

  /// Removes `key`; returns the value it had.
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    var discards = Discards<Table.Entry>()
    return entries.remove(key, discards: &discards)?.value
  }

  /// The live keys and their values, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var all: [(key: Key, value: Value)] { entries.promoteAll() }

  /// The number of live keys.
  ///
  /// - Complexity: O(*n*): it checks whether each key is alive.
  public var count: Int { all.count }

  /// The number of stored entries, including those of keys that have died unnoticed.
  ///
  /// - Complexity: O(1).
  public var entryCount: Int { entries.table.count }

  /// Removes every key.
  public mutating func removeAll() { entries = Table() }

  /// Removes the entries of dead keys, with their values; returns the number removed.
  ///
  /// - Complexity: O(*n*).
  @discardableResult
  public mutating func compact() -> Int {
    var discards = Discards<Table.Entry>()
    return entries.purge(discards: &discards)
  }
}

extension KeyedWeakDictionary: Sequence {
  /// Iterates over the keys that are alive now, and their values; the iterator keeps them alive.
  public func makeIterator() -> IndexingIterator<[(key: Key, value: Value)]> {
    all.makeIterator()
  }
}

extension KeyedWeakDictionary: Sendable where Keying.Object: Sendable, Value: Sendable {}
