import EpochReclamation
import Primitives
import WeakReferences

/// A reference to an object that does not keep it alive.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type such as `any
/// MyDelegate`; anything else traps. It keeps its static type: promoting makes no dynamic cast.
///
/// Safe to promote from any number of threads, also while the object dies.
///
/// On Linux it costs the object nothing, and keeps the memory of a dead object of up to 1 KiB until
/// the reference is gone, though not what that memory refers to. A larger object, and any object on
/// other systems, gets a side table, which permanently makes retaining and releasing it slower.
public struct WeakReference<Element> {
  private let slot: WeakSlot
  private let witnesses: WitnessTables

  /// Refers to `element`.
  public init(_ element: Element) {
    ReferenceLayout.require(Element.self)
    slot = WeakSlot(ReferenceLayout.object(of: element))
    witnesses = WitnessTables(of: element)
  }

  /// The object, kept alive by the result; nil once its `deinit` has begun.
  public func promote() -> Element? {
    guard let object = withUnsafePointer(to: slot, WeakSlot.promote) else { return nil }
    return witnesses.element(for: object, as: Element.self)
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

  /// `refers(to:)` without first copying the reference. It releases nothing except the object that
  /// the caller holds too, so it may be called under a lock or a pin.
  static func refers(
    at pointer: UnsafePointer<WeakReference>, to identity: ObjectIdentity
  ) -> Bool {
    WeakSlot.refers(at: slot(at: pointer), to: identity)
  }

  /// Whether the `deinit` of the object of the reference at `pointer` has begun.
  ///
  /// An object that it must promote to find out is added to `promoted`, to be released where a
  /// `deinit` may run.
  static func isDead(
    at pointer: UnsafePointer<WeakReference>, promoted: inout PromotedObjects
  ) -> Bool {
    WeakSlot.isDead(at: slot(at: pointer), promoted: &promoted)
  }

  static func slot(at pointer: UnsafePointer<WeakReference>) -> UnsafePointer<WeakSlot> {
    UnsafeRawPointer(pointer).assumingMemoryBound(to: WeakSlot.self)
  }
}

// @unchecked: immutable, and a weak reference may be promoted by many threads concurrently; what it
// yields is shared only if `Element` may be.
extension WeakReference: @unchecked Sendable where Element: Sendable {}

/// A weak reference as an object of its own, by the name under which it was published.
///
/// - SeeAlso: `WeakReference`, the same without an allocation.
public final class WeakObject<Element> {
  private let reference: WeakReference<Element>

  /// Refers to `value` without keeping it alive; traps where `WeakReference` does.
  public init(_ value: Element) {
    reference = WeakReference(value)
  }

  /// The object, or nil once its `deinit` has begun.
  public var value: Element? { reference.promote() }
}

extension WeakObject: Sendable where Element: Sendable {}

extension WeakWord: Reclaimable {
  /// Releases the word whose bits `pointer` has.
  public static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    WeakWord(rawValue: UInt(bitPattern: pointer)).release()
  }
}
