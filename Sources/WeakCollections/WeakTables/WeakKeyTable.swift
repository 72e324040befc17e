import Primitives
import WeakReferences

/// A way in which a weak collection distinguishes its objects: `IdentityKeying` or
/// `EqualityKeying`.
public protocol WeakKeying<Object> {
  /// The type of the objects: a class, an actor, `AnyObject` or a class-bound protocol type.
  associatedtype Object

  /// Whether only the identical object is the same. Comparing then promotes nothing.
  static var isByIdentity: Bool { get }

  /// Returns a hash that is equal for objects that are the same.
  static func hash(of object: Object) -> Int

  /// Returns whether a stored, live object is the same as the object that a caller looks for.
  static func areSame(_ stored: Object, _ object: Object) -> Bool
}

/// A keying under which objects are the same if they are identical.
public enum IdentityKeying<Object>: WeakKeying {
  /// True: only the identical object is the same.
  public static var isByIdentity: Bool { true }

  /// Returns a hash of the object's address.
  public static func hash(of object: Object) -> Int {
    // The address without its alignment bits, multiplied by 2^64 / the golden ratio: the upper half
    // of the product depends on all bits.
    let address = withUnsafeBytes(of: object) { $0.load(as: UInt.self) }
    return Int(bitPattern: UInt((UInt64(address >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 32))
  }

  /// Returns whether both references are to the same object.
  public static func areSame(_ stored: Object, _ object: Object) -> Bool {
    ObjectIdentity(of: stored) == ObjectIdentity(of: object)
  }
}

/// A keying under which objects are the same if they are equal by `==`.
///
/// `==` and `hash(into:)` of an object must not change while it is stored. A dead object is equal
/// to nothing.
public enum EqualityKeying<Object: Hashable>: WeakKeying {
  /// False: another object may be equal.
  public static var isByIdentity: Bool { false }

  /// Returns the object's `hashValue`.
  public static func hash(of object: Object) -> Int { object.hashValue }

  /// Returns whether the objects are equal by `==`.
  public static func areSame(_ stored: Object, _ object: Object) -> Bool { stored == object }
}

/// A weak reference to a key, and a value.
struct WeakKeyEntry<Keying: WeakKeying, Value>: SweptEntry {
  typealias Object = Keying.Object

  private let key: WeakReference<Object>  // The first property, as `SweptEntry` requires.
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

/// Values by weakly referenced keys: the implementation of the weak sets and the weak-key
/// dictionaries.
///
/// A function adds to its parameter `discards` every reference that may be the last one to its
/// object. The caller of the function releases these references outside its critical section.
struct WeakKeyTable<Keying: WeakKeying, Value> {
  typealias Key = Keying.Object
  typealias Entry = WeakKeyEntry<Keying, Value>

  private(set) var table = SweptTable<Entry>()

  /// Returns the position of the live key that is the same as `key`. A dead key never matches.
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

  /// Returns the key at `position` if it is alive.
  func key(at position: Int) -> Key? {
    table.withEntry(at: position) { Entry.promote(at: $0) }
  }

  func value(for key: Key, discards: inout Discards<Entry>) -> Value? {
    position(of: key, discards: &discards).map { table[$0].value }
  }

  /// Adds `key` unless the same key is present; returns its position.
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

  /// Sets the value for `key`; returns the old one. Keeps the stored key if there is one.
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

  /// Returns the live keys and their values.
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
