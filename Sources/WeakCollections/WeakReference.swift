import Primitives

/// A reference to an object that does not keep it alive.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type such as `any MyDelegate`;
/// anything else traps. It keeps its static type: promoting makes no dynamic cast.
///
/// Safe to promote from any number of threads, also while the object dies.
public struct WeakReference<Element> {
  private let slot: WeakSlot
  private let witnesses: WitnessTables
  private let address: UInt

  /// Refers to `element`.
  ///
  /// The first weak reference to an object allocates the object's side table; see `results/README.md`
  /// for its cost.
  public init(_ element: Element) {
    ReferenceLayout.require(Element.self)
    let object = Self.object(in: element)
    slot = WeakSlot(object)
    witnesses = WitnessTables(of: element)
    address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  /// The object, kept alive by the result; nil once its `deinit` has begun.
  public func promote() -> Element? {
    guard let object = slot.promote() else { return nil }
    return witnesses.element(for: object, as: Element.self)
  }

  /// Whether this refers to the very object that `element` refers to.
  ///
  /// Releases nothing that the caller does not hold too, so that it may be asked under a lock.
  public func refers(to element: Element) -> Bool {
    let object = Self.object(in: element)
    guard address == UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) else {
      return false
    }
    // The address of a dead object may have been given to `element`'s; a living one is `element`'s.
    return slot.promote() != nil
  }

  private static func object(in element: Element) -> AnyObject {
    withUnsafeBytes(of: element) { $0.load(as: Unmanaged<AnyObject>.self) }.takeUnretainedValue()
  }
}

// @unchecked: immutable, and a weak reference may be loaded by many threads at once; what it yields is
// shared only if `Element` may be.
extension WeakReference: @unchecked Sendable where Element: Sendable {}
