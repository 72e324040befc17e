/// A kind of memory that can be retired.
///
/// A requirement of the type, not a closure: an entry in limbo is then three words and no allocation.
public protocol Reclaimable {
  /// Ends the life of what is at `pointer` and gives its memory back.
  ///
  /// Called once for each retired pointer, by any thread, when no participant can see it any more. It
  /// may release user objects, whose `deinit` may use any collection.
  static func reclaim(_ pointer: UnsafeMutableRawPointer)
}

/// A pointer that is out of its structure, and how to reclaim it.
struct Retired {
  let pointer: UnsafeMutableRawPointer
  let type: any Reclaimable.Type
}
