import Primitives

/// A `weak` variable, and which object it was made for.
///
/// Its object has a side table. For where memory must not be held, and where the runtime has no unowned
/// counts that may be asked: see `UnownedCount`.
///
/// Functions take a pointer, since a method's `self` would first be copied, and copying a `weak` variable
/// costs as much as promoting it.
struct WeakBox {
  private weak let object: AnyObject?
  /// The address of a dead object may be another's.
  private let identity: ObjectIdentity

  init(_ object: AnyObject) {
    self.object = object
    identity = ObjectIdentity(of: object)
  }

  /// The object, kept alive by the result; nil once its `deinit` has begun.
  static func promote(at pointer: UnsafePointer<WeakBox>) -> AnyObject? {
    pointer.pointee.object
  }

  /// Whether the object is the living one `identity`, which the caller keeps alive.
  static func refers(at pointer: UnsafePointer<WeakBox>, to identity: ObjectIdentity) -> Bool {
    pointer.pointee.identity == identity && pointer.pointee.object != nil
  }
}
