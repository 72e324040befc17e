import Primitives
import WeakReferences

extension WeakReference {
  /// Whether the `deinit` of the object of the reference at `pointer` has begun.
  ///
  /// What has to be promoted to know that is added to `promoted`, to be released where a `deinit` may run.
  static func isDead(
    at pointer: UnsafePointer<WeakReference>, promoted: inout PromotedObjects
  ) -> Bool {
    WeakSlot.isDead(at: slot(at: pointer), promoted: &promoted)
  }
}
