import Primitives

/// A reference to an object that does not keep it alive.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type such as `any MyDelegate`;
/// anything else traps. It keeps its static type: promoting makes no dynamic cast.
///
/// Safe to promote from any number of threads, also while the object dies.
public struct WeakReference<Element> {
  private let slot: WeakSlot  // First, for `promote(at:)`.
  private let witnesses: WitnessTables
  private let identity: ObjectIdentity

  /// Refers to `element`.
  ///
  /// The first weak reference to an object allocates the object's side table; see `results/README.md`
  /// for its cost.
  public init(_ element: Element) {
    ReferenceLayout.require(Element.self)
    let object = withUnsafeBytes(of: element) { $0.load(as: Unmanaged<AnyObject>.self) }
    slot = WeakSlot(object.takeUnretainedValue())
    witnesses = WitnessTables(of: element)
    identity = ObjectIdentity(of: element)
  }

  /// The object, kept alive by the result; nil once its `deinit` has begun.
  public func promote() -> Element? {
    withUnsafePointer(to: self) { Self.promote(at: $0) }
  }

  /// Whether this refers to the very object that `element` refers to.
  public func refers(to element: Element) -> Bool {
    withUnsafePointer(to: self) { Self.refers(at: $0, to: ObjectIdentity(of: element)) }
  }

  /// `promote` without first copying the reference.
  static func promote(at pointer: UnsafePointer<WeakReference>) -> Element? {
    guard let object = WeakSlot.promote(at: slot(at: pointer)) else { return nil }
    return pointer.pointee.witnesses.element(for: object, as: Element.self)
  }

  /// Whether the reference at `pointer` is to the living object `identity`.
  ///
  /// Releases nothing that the caller, who holds the object, does not hold too: it may be asked under a
  /// lock or a pin.
  static func refers(
    at pointer: UnsafePointer<WeakReference>, to identity: ObjectIdentity
  ) -> Bool {
    // A dead object's address may have been given to another; the living one at it is the one meant.
    pointer.pointee.identity == identity && WeakSlot.promote(at: slot(at: pointer)) != nil
  }

  private static func slot(at pointer: UnsafePointer<WeakReference>) -> UnsafePointer<WeakSlot> {
    UnsafeRawPointer(pointer).assumingMemoryBound(to: WeakSlot.self)
  }
}

// @unchecked: immutable, and a weak reference may be loaded by many threads at once; what it yields is
// shared only if `Element` may be.
extension WeakReference: @unchecked Sendable where Element: Sendable {}

/// Which object a value refers to, without retaining it.
struct ObjectIdentity: Equatable {
  private let address: UInt

  init<Element>(of element: Element) {
    address = withUnsafeBytes(of: element) { $0.load(as: UInt.self) }
  }
}
