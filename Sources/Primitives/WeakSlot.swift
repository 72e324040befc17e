import CWeakShims

/// An immutable weak reference to any object, and the one place where a weak reference is promoted.
///
/// Any number of threads may promote one slot at once, also while its object dies.
public struct WeakSlot {
  private weak let object: AnyObject?

  /// Refers to `object` without keeping it alive.
  public init(_ object: AnyObject) {
    self.object = object
  }

  /// The object of the slot at `pointer`, kept alive by the result; nil once its `deinit` has begun.
  ///
  /// By pointer, since a method's `self` would first be copied, and copying a weak reference costs as
  /// much as promoting it.
  public static func promote(at pointer: UnsafePointer<WeakSlot>) -> AnyObject? {
    _ = ManagedScheduler.ask { $0.pointee.step(cws_site(#fileID, #function, #line)) }
    return pointer.pointee.object
  }
}
