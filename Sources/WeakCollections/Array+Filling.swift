extension Array {
  /// An array of at most `capacity` elements, which `body` writes from the pointer on and counts.
  ///
  /// `init(unsafeUninitializedCapacity:)` stores the count of an array without capacity too, which is the one
  /// that all empty arrays of a process share: threads that take empty snapshots would race for it.
  @inline(__always)
  init(
    capacity: Int, filledBy body: (UnsafeMutablePointer<Element>, inout Int) -> Void
  ) {
    guard capacity > 0 else {
      self = []
      return
    }
    self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
      body(buffer.baseAddress.unsafelyUnwrapped, &count)
    }
  }
}
