/// A dictionary that does not keep its keys alive and distinguishes them by identity.
public typealias WeakKeyDictionary<Key, Value> = KeyedWeakDictionary<IdentityKeying<Key>, Value>

/// A dictionary that does not keep its keys alive and distinguishes them by `==`.
public typealias WeakEqualityKeyDictionary<Key: Hashable, Value> =
  KeyedWeakDictionary<EqualityKeying<Key>, Value>

/// A dictionary that does not keep its keys alive. Use it as `WeakKeyDictionary` or
/// `WeakEqualityKeyDictionary`.
///
/// ```swift
/// var sizes = WeakKeyDictionary<View, Size>()
/// sizes[view] = Size(width: 1, height: 1)
/// ```
///
/// Keys are of a class, an actor, `AnyObject` or a class-bound protocol type. The initializer traps
/// for any other type. Not thread-safe, like any other value.
///
/// No operation returns the value of a dead key. One of the next n + 1 writes releases the value,
/// where n is the greatest number of entries during that time. `compact()` releases it immediately,
/// and iterating never does. After any mutation there are at most 2 × live + 64 entries, amortized.
/// As with a standard dictionary, the `deinit` of a value must not use the variable that a mutation
/// is changing.
///
/// A value that refers strongly to its own key, directly or through other objects, keeps the key
/// alive indefinitely: only a tracing garbage collector could detect this. Such a value should
/// refer weakly to its key.
public struct KeyedWeakDictionary<Keying: WeakKeying, Value> {
  /// The type of the keys.
  public typealias Key = Keying.Object
  typealias Table = WeakKeyTable<Keying, Value>

  private var entries = Table()

  /// Creates an empty dictionary.
  public init() {
    ReferenceLayout.require(Key.self)
  }

  /// Accesses the value for `key`; setting nil removes the key.
  ///
  /// - Complexity: O(1), amortized if it inserts.
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

  /// Accesses the value for `key`, or `defaultValue` if there is none. Reading does not insert the
  /// default; assigning inserts the assigned value.
  ///
  /// - Complexity: O(1), amortized if it inserts.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
  }

  /// Sets the value for `key`.
  ///
  /// - Returns: The old value; nil if there was none.
  /// - Complexity: amortized O(1).
  @discardableResult
  public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
    var discards = Discards<Table.Entry>()
    return entries.setValue(value, for: key, discards: &discards)
  }

  /// Removes `key`.
  ///
  /// - Returns: The value that it had; nil if there was none.
  /// - Complexity: O(1) on average.
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

  /// Whether no key is alive.
  ///
  /// - Complexity: O(*n*).
  public var isEmpty: Bool { count == 0 }

  /// The number of stored entries, including those of dead keys that were not removed yet.
  ///
  /// - Complexity: O(1).
  public var entryCount: Int { entries.table.count }

  /// Removes every key.
  public mutating func removeAll() { entries = Table() }

  /// Removes the entries of dead keys, with their values.
  ///
  /// - Returns: The number of removed entries.
  /// - Complexity: O(*n*).
  @discardableResult
  public mutating func compact() -> Int {
    var discards = Discards<Table.Entry>()
    return entries.purge(discards: &discards)
  }
}

extension KeyedWeakDictionary: Sequence, CustomStringConvertible {
  /// The live keys and their values, as a standard dictionary prints them.
  public var description: String { all.dictionaryDescription() }

  /// Returns an iterator over the keys that are alive now, and their values, which it keeps alive.
  public func makeIterator() -> IndexingIterator<[(key: Key, value: Value)]> {
    all.makeIterator()
  }
}

extension KeyedWeakDictionary: Sendable where Keying.Object: Sendable, Value: Sendable {}
