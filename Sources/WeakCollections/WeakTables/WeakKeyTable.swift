import Primitives
import WeakReferences

/// How a weak collection distinguishes its objects: `IdentityKeying` or `EqualityKeying`.
public protocol WeakKeying<Object> {
  /// A class, an actor, `AnyObject` or a class-bound protocol type.
  associatedtype Object

  /// Whether only the identical object is the same. Comparing then promotes nothing.
  static var isByIdentity: Bool { get }

  /// Equal for objects that are the same.
  static func hash(of object: Object) -> Int

  /// Whether a stored, live object is the same as the one searched for.
  static func areSame(_ stored: Object, _ object: Object) -> Bool
}

/// Treats objects as the same if they are identical.
public enum IdentityKeying<Object>: WeakKeying {
  public static var isByIdentity: Bool { true }

  public static func hash(of object: Object) -> Int {
    // The address, without the bits that alignment makes 0, multiplied by 2^64 / the golden ratio:
    // the product's upper half depends on all of them.
    let address = withUnsafeBytes(of: object) { $0.load(as: UInt.self) }
    return Int(bitPattern: UInt((UInt64(address >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 32))
  }

  public static func areSame(_ stored: Object, _ object: Object) -> Bool {
    ObjectIdentity(of: stored) == ObjectIdentity(of: object)
  }
}

/// Treats objects as the same if they are equal by `==` and `hash(into:)`, which must not change
/// while they are stored. A dead object is equal to nothing.
public enum EqualityKeying<Object: Hashable>: WeakKeying {
  public static var isByIdentity: Bool { false }

  public static func hash(of object: Object) -> Int { object.hashValue }

  public static func areSame(_ stored: Object, _ object: Object) -> Bool { stored == object }
}

/// A weakly held key, and a value.
struct WeakKeyEntry<Keying: WeakKeying, Value>: SweptEntry {
  typealias Object = Keying.Object

  private let key: WeakReference<Object>  // First, as `SweptEntry` requires.
  let hash: UInt32
  var value: Value

  init(_ key: Object, hash: UInt32, value: Value) {
    self.key = WeakReference(key)
    self.hash = hash
    self.value = value
  }

  static func hash(of key: Object) -> UInt32 {
    UInt32(truncatingIfNeeded: Keying.hash(of: key))
  }
}

extension WeakKeyEntry: Sendable where Keying.Object: Sendable, Value: Sendable {}

/// Values by weakly held keys: the implementation of the weak sets and the weak-key dictionaries.
///
/// A function with `discards` may hold the last reference to an object: its caller releases
/// `discards` outside its critical section.
struct WeakKeyTable<Keying: WeakKeying, Value> {
  typealias Key = Keying.Object
  typealias Entry = WeakKeyEntry<Keying, Value>

  private(set) var table = SweptTable<Entry>()

  /// The position of the live key that is the same as `key`; a dead key is the same as none.
  func position(of key: Key, discards: inout Discards<Entry>) -> Int? {
    position(of: key, hash: Entry.hash(of: key), discards: &discards)
  }

  private func position(of key: Key, hash: UInt32, discards: inout Discards<Entry>) -> Int? {
    table.firstPosition(of: hash) { entry in
      if Keying.isByIdentity {
        return WeakReference<Key>.refers(
          at: Entry.reference(at: entry), to: ObjectIdentity(of: key))
      }
      guard let stored = Entry.promote(at: entry) else { return false }
      discards.promoted.add(ReferenceLayout.object(of: stored))
      return Keying.areSame(stored, key)
    }
  }

  /// The key at `position`, if it is alive.
  func key(at position: Int) -> Key? {
    table.withEntry(at: position) { Entry.promote(at: $0) }
  }

  func value(for key: Key, discards: inout Discards<Entry>) -> Value? {
    position(of: key, discards: &discards).map { table[$0].value }
  }

  /// Adds `key` unless it is there; returns its position.
  mutating func insert(
    _ key: Key, value: Value, discards: inout Discards<Entry>
  ) -> (isNew: Bool, position: Int) {
    table.sweep(discards: &discards)
    let hash = Entry.hash(of: key)
    if let position = position(of: key, hash: hash, discards: &discards) {
      return (false, position)
    }
    table.insert(Entry(key, hash: hash, value: value), discards: &discards)
    return (true, table.count - 1)
  }

  /// Makes `value` the value for `key`; returns the one it replaces. A key that is already there is
  /// not replaced.
  mutating func setValue(_ value: Value, for key: Key, discards: inout Discards<Entry>) -> Value? {
    let (isNew, position) = insert(key, value: value, discards: &discards)
    if isNew { return nil }
    let old = table[position].value
    table[position].value = value
    return old
  }

  mutating func remove(_ key: Key, discards: inout Discards<Entry>) -> Entry? {
    table.sweep(discards: &discards)
    return position(of: key, discards: &discards).map { table.remove(at: $0) }
  }

  /// The live keys and their values.
  func promoteAll() -> [(key: Key, value: Value)] {
    var pairs: [(Key, Value)] = []
    pairs.reserveCapacity(table.count)
    table.forEachEntry { entry in
      guard let key = Entry.promote(at: entry) else { return }
      pairs.append((key, entry.pointee.value))
    }
    return pairs
  }

  mutating func purge(discards: inout Discards<Entry>) -> Int { table.purge(discards: &discards) }

  mutating func removeDead(_ goal: Int, discards: inout Discards<Entry>) -> Int {
    table.removeDead(goal, discards: &discards)
  }
}

extension WeakKeyTable: Sendable where Keying.Object: Sendable, Value: Sendable {}
