import Primitives
import WeakReferences

// Questions to the weak reference that a word stands for; for use under a pin.
extension LockFreeDictionary {
  /// The object of the reference, kept alive by the result; nil without one, or once its `deinit` has
  /// begun. The caller lets go of it outside the pin.
  static func promote<Object>(_ word: ValueWord) -> Object? where Value == WeakReference<Object> {
    Coding.borrow(word) { reference in
      withUnsafePointer(to: reference) { WeakReference<Object>.promote(at: $0) }
    } ?? nil
  }

  /// Whether there is a reference whose object is dead.
  static func isDead<Object>(
    _ word: ValueWord, promoted: inout PromotedObjects
  ) -> Bool where Value == WeakReference<Object> {
    Coding.borrow(word) { reference in
      withUnsafePointer(to: reference) { WeakReference<Object>.isDead(at: $0, promoted: &promoted) }
    } ?? false
  }

  /// Whether there is a reference whose object lives.
  static func isAlive<Object>(
    _ word: ValueWord, promoted: inout PromotedObjects
  ) -> Bool where Value == WeakReference<Object> {
    Coding.borrow(word) { reference in
      withUnsafePointer(to: reference) {
        !WeakReference<Object>.isDead(at: $0, promoted: &promoted)
      }
    } ?? false
  }
}
