import Primitives
import WeakReferences

/// How a weak collection tells its objects apart: `IdentityKeying` or `EqualityKeying`.
public protocol WeakKeying<Object> {
  /// A class, an actor, `AnyObject` or a class-bound protocol type.
  associatedtype Object

  /// Whether only the identical object is the same. Then nothing has to be promoted to compare.
  static var isByIdentity: Bool { get }

  /// Equal for objects that are the same.
  static func hash(of object: Object) -> Int

  /// Whether a stored, living object and one that is asked for are the same.
  static func areSame(_ stored: Object, _ object: Object) -> Bool
}

/// Objects are the same if they are identical.
public enum IdentityKeying<Object>: WeakKeying {
  public static var isByIdentity: Bool { true }

  public static func hash(of object: Object) -> Int {
    // The address, without the bits that alignment makes 0, multiplied by 2^64 / the golden ratio: the
    // product's upper half depends on all of them.
    let address = withUnsafeBytes(of: object) { $0.load(as: UInt.self) }
    return Int(bitPattern: UInt((UInt64(address >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 32))
  }

  public static func areSame(_ stored: Object, _ object: Object) -> Bool {
    ObjectIdentity(of: stored) == ObjectIdentity(of: object)
  }
}

/// Objects are the same if they are equal, by `==` and `hash(into:)`, which must not change while they
/// are stored. A dead object is equal to nothing.
public enum EqualityKeying<Object: Hashable>: WeakKeying {
  public static var isByIdentity: Bool { false }

  public static func hash(of object: Object) -> Int { object.hashValue }

  public static func areSame(_ stored: Object, _ object: Object) -> Bool { stored == object }
}
