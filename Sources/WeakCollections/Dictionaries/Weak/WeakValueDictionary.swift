/// A dictionary that does not keep its values alive.
///
/// ```swift
/// var images = WeakValueDictionary<String, Image>()
/// let image = images.value(forKey: name, orInsert: { Image(named: name) })
/// ```
///
/// Values are of a class, an actor, `AnyObject` or a class-bound protocol type. The initializer
/// traps for any other type. Not thread-safe, like any other value; `AtomicWeakValueDictionary` is.
///
/// A key whose value is dead counts as absent. One of the next n + 1 writes releases the key, where
/// n is the greatest number of entries during that time. `compact()` releases it immediately, and
/// iterating never does. After any mutation there are at most 2 × live + 64 entries, amortized. As
/// with a standard dictionary, the `deinit` of a key must not use the variable that a mutation is
/// changing.
public struct WeakValueDictionary<Key: Hashable, Value> {
  private(set) var table = SweptTable<WeakValueEntry<Key, Value>>()

  /// Creates an empty dictionary.
  public init() {
    ReferenceLayout.require(Value.self)
  }

  /// Accesses the live value for `key`; setting nil removes the key.
  ///
  /// - Complexity: O(1), amortized if it inserts.
  public subscript(key: Key) -> Value? {
    get { position(of: key).flatMap { value(at: $0) } }
    set {
      if let newValue {
        updateValue(newValue, forKey: key)
      } else {
        removeValue(forKey: key)
      }
    }
  }

  /// Returns the live value for `key`; if there is none, inserts and returns the result of
  /// `makeValue`.
  ///
  /// - Throws: The error that `makeValue` throws; nothing is then inserted.
  /// - Complexity: amortized O(1).
  public mutating func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    if let present = self[key] { return present }
    let made = WeakReference.living(try makeValue())
    updateValue(made, forKey: key)
    return made
  }

  /// Sets the value for `key`.
  ///
  /// - Returns: The live value that it replaces; nil if there was none.
  /// - Complexity: amortized O(1).
  @discardableResult
  public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
    var discards = Discards<WeakValueEntry<Key, Value>>()
    return updateValue(value, forKey: key, discards: &discards)
  }

  /// Removes `key`.
  ///
  /// - Returns: The live value that it had; nil if there was none.
  /// - Complexity: O(1) on average.
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    var discards = Discards<WeakValueEntry<Key, Value>>()
    return removeValue(forKey: key, discards: &discards)
  }

  /// The live values and their keys, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var all: [(key: Key, value: Value)] {
    var pairs: [(Key, Value)] = []
    table.forEachEntry { entry in
      if let value = Entry.promote(at: entry) {
        pairs.append((entry.pointee.key, value))
      }
    }
    return pairs
  }

  /// The number of keys whose value is alive.
  ///
  /// - Complexity: O(*n*): it checks whether each value is alive.
  public var count: Int { all.count }

  /// Whether no value is alive.
  ///
  /// - Complexity: O(*n*).
  public var isEmpty: Bool { count == 0 }

  /// The number of stored entries, including those of dead values that were not removed yet.
  ///
  /// - Complexity: O(1).
  public var entryCount: Int { table.count }

  /// Removes every key.
  public mutating func removeAll() { table = SweptTable() }

  /// Removes the entries of dead values, with their keys.
  ///
  /// - Returns: The number of removed entries.
  /// - Complexity: O(*n*).
  @discardableResult
  public mutating func compact() -> Int {
    var discards = Discards<WeakValueEntry<Key, Value>>()
    return table.purge(discards: &discards)
  }
}

// For callers that hold a lock: `discards` receives references that may be the last ones.
extension WeakValueDictionary {
  typealias Entry = WeakValueEntry<Key, Value>

  mutating func updateValue(
    _ value: Value, forKey key: Key, discards: inout Discards<Entry>
  ) -> Value? {
    table.sweep(discards: &discards)
    let entry = Entry(key, value: value)
    guard let position = position(of: key) else {
      table.insert(entry, discards: &discards)
      return nil
    }
    let old = self.value(at: position)
    table[position].value = entry.value
    return old
  }

  mutating func removeValue(forKey key: Key, discards: inout Discards<Entry>) -> Value? {
    table.sweep(discards: &discards)
    guard let position = position(of: key) else { return nil }
    let old = value(at: position)
    discards.removed.append(table.remove(at: position))
    return old
  }

  mutating func purge(discards: inout Discards<Entry>) -> Int {
    table.purge(discards: &discards)
  }

  private func position(of key: Key) -> Int? {
    table.firstPosition(of: Entry.hash(of: key)) { $0.pointee.key == key }
  }

  private func value(at position: Int) -> Value? {
    table.withEntry(at: position) { Entry.promote(at: $0) }
  }
}

extension WeakValueDictionary: Sequence, CustomStringConvertible {
  /// The live values and their keys, as a standard dictionary prints them.
  public var description: String { all.dictionaryDescription() }

  /// Returns an iterator over the values that are alive now, and their keys, which it keeps alive.
  public func makeIterator() -> IndexingIterator<[(key: Key, value: Value)]> {
    all.makeIterator()
  }
}

extension WeakValueDictionary: Sendable where Key: Sendable, Value: Sendable {}

/// A key and a weak reference to its value.
struct WeakValueEntry<Key: Hashable, Value>: SweptEntry {
  typealias Object = Value

  var value: WeakReference<Value>  // The first property, as `SweptEntry` requires.
  let hash: UInt32
  let key: Key

  init(_ key: Key, value: Value) {
    self.value = WeakReference(value)
    hash = Self.hash(of: key)
    self.key = key
  }

  static func hash(of key: Key) -> UInt32 { UInt32(truncatingIfNeeded: key.hashValue) }
}

extension WeakValueEntry: Sendable where Key: Sendable, Value: Sendable {}

extension Sequence {
  /// The pairs, as a standard dictionary prints them; the keys need not be `Hashable`.
  func dictionaryDescription<Key, Value>() -> String where Element == (key: Key, value: Value) {
    let pairs = map { "\(String(reflecting: $0.key)): \(String(reflecting: $0.value))" }
    return pairs.isEmpty ? "[:]" : "[\(pairs.joined(separator: ", "))]"
  }
}
