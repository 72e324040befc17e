import Primitives
import WeakReferences

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// Asks from any thread whether an object lives, without keeping it alive and without promoting it where
/// weak slots allow, unless it is asked for.
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

  /// The object, kept alive by the result; nil once its `deinit` has begun. To be released outside locks, and not to
  /// be used but to ask who holds it.
  func promote() -> AnyObject? { withUnsafePointer(to: slot, WeakSlot.promote) }
}

extension LifeSign {
  /// Whether it is that of `object`, which the caller keeps alive. May be asked under a lock: it releases
  /// nothing that the caller does not hold too.
  func refers(to object: AnyObject) -> Bool {
    let identity = ObjectIdentity(of: object)
    return withUnsafePointer(to: slot) { WeakSlot.refers(at: $0, to: identity) }
  }
}

extension LifeSign {
  /// Whether it is that of `object`, at whose address its own object is or was; the caller keeps `object` alive, or is
  /// in its `deinit`. May be asked under a lock, as `refers`.
  ///
  /// Where addresses are reused it may be that of a dead predecessor only if `object` is in its `deinit`: no
  /// weak reference refers to it any more. On Apple platforms an object of Objective-C is taken for being there.
  func isThat(of object: AnyObject) -> Bool {
    refers(to: object) || Self.isDying(object)
  }

  private static func isDying(_ object: AnyObject) -> Bool {
    #if canImport(ObjectiveC)
      // To form a weak reference in the `deinit` of one of these ends the program.
      if object is any NSObjectProtocol { return true }
    #endif
    return !LifeSign(object).isAlive
  }
}

// @unchecked: immutable, and many threads may ask one slot at once; nobody uses the object.
extension LifeSign: @unchecked Sendable {}
