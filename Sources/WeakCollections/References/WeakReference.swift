import EpochReclamation
import Primitives
import WeakReferences

/// A reference to an object that does not keep the object alive.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type such as
/// `any MyDelegate`. The reference keeps this static type, so that promoting makes no dynamic cast.
///
/// Any number of threads may promote a reference concurrently, also while the object dies.
///
/// On Linux a weak reference does not slow down an object of at most 1 KiB. The object's own memory
/// stays allocated after its death, until the reference is gone; memory that the object refers to
/// is released. A larger object, and any object on other systems or with the trait `WeakBoxes`,
/// gets a side table, which permanently makes retaining and releasing the object slower.
public struct WeakReference<Element> {
  private let slot: WeakSlot
  private let witnesses: WitnessTables

  /// Creates a reference to `element`. Traps if `Element` is not a reference type.
  public init(_ element: Element) {
    ReferenceLayout.require(Element.self)
    slot = WeakSlot(ReferenceLayout.object(of: element))
    witnesses = WitnessTables(of: element)
  }

  /// Returns the object, retained by the result; nil once its `deinit` has begun.
  ///
  /// - Complexity: O(1).
  public func promote() -> Element? {
    guard let object = withUnsafePointer(to: slot, WeakSlot.promote) else { return nil }
    return witnesses.element(for: object, as: Element.self)
  }

  /// Returns `element`; traps if its `deinit` has begun. For a collection that would hand it out.
  static func living(_ element: Element) -> Element {
    guard WeakReference(element).promote() != nil else {
      fatalError("an object whose deinit has begun cannot be inserted")
    }
    return element
  }

  /// Returns whether this refers to the same object as `element`.
  public func refers(to element: Element) -> Bool {
    withUnsafePointer(to: self) { Self.refers(at: $0, to: ObjectIdentity(of: element)) }
  }

  /// Promotes without first copying the reference.
  static func promote(at pointer: UnsafePointer<WeakReference>) -> Element? {
    guard let object = WeakSlot.promote(at: slot(at: pointer)) else { return nil }
    return pointer.pointee.witnesses.element(for: object, as: Element.self)
  }

  /// Compares without first copying the reference. Releases only references that the caller also
  /// holds, so it may be called under a lock or a pin.
  static func refers(
    at pointer: UnsafePointer<WeakReference>, to identity: ObjectIdentity
  ) -> Bool {
    WeakSlot.refers(at: slot(at: pointer), to: identity)
  }

  /// Returns whether the `deinit` of the object of the reference at `pointer` has begun.
  ///
  /// `promoted` receives the object if the query has to promote it. The caller releases it where a
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

// @unchecked: immutable; any number of threads may promote it, and share the object only if
// `Element` is Sendable.
extension WeakReference: @unchecked Sendable where Element: Sendable {}

/// A weak reference that is itself an object.
///
/// ```swift
/// let reference = WeakObject(listener)
/// reference.value?.hear()
/// ```
///
/// - SeeAlso: `WeakReference`, which does the same without an allocation.
public final class WeakObject<Element> {
  private let reference: WeakReference<Element>

  /// Creates a reference to `value` that does not keep it alive. Traps if `Element` is not a
  /// reference type.
  public init(_ value: Element) {
    reference = WeakReference(value)
  }

  /// The object; nil once its `deinit` has begun.
  public var value: Element? { reference.promote() }
}

extension WeakObject: Sendable where Element: Sendable {}

extension WeakWord: Reclaimable {
  /// Releases the word whose bits are the address `pointer`.
  public static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    WeakWord(rawValue: UInt(bitPattern: pointer)).release()
  }
}
