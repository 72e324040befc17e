/// A collection's exclusion that this thread holds while user code runs inside it: the body of `update`.
///
/// The innermost one is in `ThreadSlot.exclusions`, the outer ones behind it, all on the stack of the
/// functions that hold them. Two uses: a collection entered again from inside its own `update` traps
/// instead of hanging, and no reclaimer runs while a thread holds an exclusion, so that the `deinit` of
/// an unrelated object never finds itself inside one.
public struct Exclusion {
  private let owner: ObjectIdentifier
  private let outer: UnsafeMutableRawPointer?

  /// Runs `body` with `owner` marked as held by this thread.
  public static func hold<R: ~Copyable, F: Error>(
    _ owner: AnyObject, _ body: () throws(F) -> R
  ) throws(F) -> R {
    let outer = ThreadSlot.exclusions.value
    var exclusion = Exclusion(owner: ObjectIdentifier(owner), outer: outer)
    return try withUnsafeMutablePointer(to: &exclusion) { innermost throws(F) -> R in
      ThreadSlot.exclusions.value = UnsafeMutableRawPointer(innermost)
      defer { ThreadSlot.exclusions.value = outer }
      return try body()
    }
  }

  /// Whether this thread is inside any exclusion.
  public static var isHeld: Bool { ThreadSlot.exclusions.value != nil }

  /// Traps when this thread is inside the exclusion of `owner`.
  ///
  /// One comparison when it is inside none.
  public static func checkNotHeld(_ owner: AnyObject) {
    if let innermost = ThreadSlot.exclusions.value {
      checkNotHeld(owner, innermost: innermost)
    }
  }

  private static func checkNotHeld(_ owner: AnyObject, innermost: UnsafeMutableRawPointer) {
    var next: UnsafeMutableRawPointer? = innermost
    while let pointer = next {
      let exclusion = pointer.assumingMemoryBound(to: Exclusion.self).pointee
      precondition(
        exclusion.owner != ObjectIdentifier(owner),
        "update's body must not use the collection that it updates")
      next = exclusion.outer
    }
  }
}
