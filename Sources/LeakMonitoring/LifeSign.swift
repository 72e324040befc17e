import Primitives

/// Asks from any thread whether an object lives, without keeping it alive and without promoting it where
/// weak slots allow.
package final class LifeSign {
  private let slot: WeakSlot

  package init(_ object: AnyObject) {
    slot = WeakSlot(object)
  }

  /// False once the object's `deinit` has begun.
  package var isAlive: Bool {
    // What has to be promoted is let go on return, where a `deinit` may run.
    var promoted = PromotedObjects()
    return withUnsafePointer(to: slot) { !WeakSlot.isDead(at: $0, promoted: &promoted) }
  }
}

extension LifeSign {
  /// Whether it is that of `object`, which the caller keeps alive. May be asked under a lock: it releases
  /// nothing that the caller does not hold too.
  func refers(to object: AnyObject) -> Bool {
    let identity = ObjectIdentity(of: object)
    return withUnsafePointer(to: slot) { WeakSlot.refers(at: $0, to: identity) }
  }
}

// @unchecked: immutable, and many threads may ask one slot at once; nobody gets at the object.
extension LifeSign: @unchecked Sendable {}
