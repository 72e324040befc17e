import Primitives
import WeakReferences

/// What is stored in a `SweptTable`: something that refers weakly to one object.
protocol SweptEntry {
  associatedtype Object

  /// Equal for entries that may be the same.
  var hash: UInt32 { get }

  static func reference(
    at entry: UnsafePointer<Self>
  ) -> UnsafePointer<WeakReference<Object>>
}

extension SweptEntry {
  /// The object that the entry refers to, kept alive by the result; nil once its `deinit` has begun.
  static func promote(at entry: UnsafePointer<Self>) -> Object? {
    WeakReference<Object>.promote(at: reference(at: entry))
  }
}

/// What an operation must not let go of inside an exclusion: its caller does, outside.
struct Discards<Entry: SweptEntry> {
  /// Objects that were promoted; ours may be the last reference by now.
  var promoted = PromotedObjects()
  /// Entries of dead objects, with what they own.
  var removed: [Entry] = []
}
