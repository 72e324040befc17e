import Threading

/// A key or a value that the checks make from a number.
///
/// `Int`, `String`, `CountedObject` and `CollidingKey` conform. A type of your own can, too. If it
/// stores `object`, the contracts about release can be checked as well:
///
/// ```swift
/// struct Pair: ContractItem {
///   let contractNumber: Int
///   let object: CountedObject?
///   static func contractItem(_ number: Int) -> Pair { Pair(contractNumber: number, object: nil) }
///   static func contractItem(holding object: CountedObject) -> Pair {
///     Pair(contractNumber: object.number, object: object)
///   }
/// }
/// ```
public protocol ContractItem: Sendable {
  /// Returns an item with a number.
  ///
  /// As keys, items with the same number must be equal, and others unequal.
  static func contractItem(_ number: Int) -> Self

  /// Returns an item that has the number of `object`, and that keeps `object` alive as long as the
  /// item exists.
  ///
  /// The default implementation does not keep it alive; contracts about release then cannot be
  /// checked.
  static func contractItem(holding object: CountedObject) -> Self

  /// The number that the item was made from.
  var contractNumber: Int { get }
}

extension ContractItem {
  /// Returns an item with the number of `object`, which it does not keep alive.
  public static func contractItem(holding object: CountedObject) -> Self {
    contractItem(object.number)
  }

  /// Whether an item keeps alive the object that it is made from.
  static var holdsObject: Bool {
    let lifetimes = LifetimeCounter()
    let item = contractItem(holding: CountedObject(0, in: lifetimes))
    return withExtendedLifetime(item) { lifetimes.live == 1 }
  }
}

extension ContractItem where Self: Hashable {
  /// Whether keys that are made from objects with equal hashes have equal hashes.
  static var canCollide: Bool {
    let hashes = (0..<8).map { collidingItem($0).hashValue }
    return Set(hashes).count == 1
  }

  static func collidingItem(_ number: Int) -> Self {
    contractItem(holding: CountedObject(number, hashesCollide: true))
  }
}

/// An object whose lifetime the checks observe. As a key, it equals every object with its number.
///
/// Collections with weak references are checked with this class, or with a protocol to which a test
/// lets it conform.
public final class CountedObject: Sendable {
  /// The number that the object was made from.
  public let number: Int
  private let tally: LifetimeCounter.Tally?
  private let lastWords: (@Sendable () -> Void)?
  private let hashesCollide: Bool

  init(
    _ number: Int, in lifetimes: LifetimeCounter? = nil, hashesCollide: Bool = false,
    lastWords: (@Sendable () -> Void)? = nil
  ) {
    self.number = number
    self.hashesCollide = hashesCollide
    self.lastWords = lastWords
    tally = lifetimes?.tallies[0]
    tally?.noteBirth()
  }

  deinit {
    tally?.noteDeath()
    lastWords?()
  }
}

extension CountedObject: ContractItem, Hashable {
  /// Returns a new object with a number.
  public static func contractItem(_ number: Int) -> CountedObject { CountedObject(number) }

  /// Returns `object`.
  public static func contractItem(holding object: CountedObject) -> CountedObject { object }

  /// The object's number.
  public var contractNumber: Int { number }

  /// Returns whether two objects have the same number.
  public static func == (one: CountedObject, other: CountedObject) -> Bool {
    one.number == other.number
  }

  /// Hashes the number, except in checks in which all hashes collide.
  public func hash(into hasher: inout Hasher) {
    if !hashesCollide { hasher.combine(number) }
  }
}

/// A key whose hash equals the hash of every other `CollidingKey`.
public struct CollidingKey: ContractItem, Hashable {
  /// The number that the key was made from.
  public let contractNumber: Int

  /// Returns the key with a number.
  public static func contractItem(_ number: Int) -> CollidingKey {
    CollidingKey(contractNumber: number)
  }

  /// Hashes nothing.
  public func hash(into hasher: inout Hasher) {}
}

extension Int: ContractItem {
  /// Returns `number`.
  public static func contractItem(_ number: Int) -> Int { number }

  /// The integer itself.
  public var contractNumber: Int { self }
}

extension String: ContractItem {
  /// Returns a short string for an even number and a long one for an odd number: Swift stores the
  /// two differently.
  public static func contractItem(_ number: Int) -> String {
    number.isMultiple(of: 2) ? "\(number)" : "the item with the number \(number)"
  }

  /// The number at the end of the string.
  public var contractNumber: Int {
    guard let number = Int(self.split(separator: " ").last ?? "") else {
      fatalError("'\(self)' is not a contract item: it does not end with a number")
    }
    return number
  }
}

/// Conversions between the counted objects of a check and the elements of a weak collection:
/// `CountedObject` itself, `AnyObject`, or a protocol to which a test lets `CountedObject` conform.
enum WeakItem<Element> {
  /// Whether `CountedObject` is an `Element`.
  static var canBeMade: Bool { CountedObject(0) is Element }

  static func element(_ object: CountedObject) -> Element {
    guard let element = object as? Element else {
      fatalError("CountedObject is not a \(Element.self); let it conform, or use CountedObject")
    }
    return element
  }

  static func object(of element: Element) -> CountedObject {
    guard let object = element as AnyObject as? CountedObject else {
      fatalError("the collection returned \(element), which the check did not insert")
    }
    return object
  }

  /// What elements of this type lack; `nil` if the checks can make them.
  static var need: ContractNeed? { canBeMade ? nil : .countedElements }
}
