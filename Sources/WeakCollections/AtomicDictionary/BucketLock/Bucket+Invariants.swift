extension Bucket {
  /// Traps unless every word is in one slot of this bucket and those behind it; for whoever has the lock.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      precondition(state.isLocked && !state.isMoved, "who changes a bucket has its lock")
      var words: Set<UInt> = []
      for bucket in all {
        for slot in 0..<Self.slotCount where bucket.key(slot) != 0 {
          precondition(words.insert(bucket.key(slot)).inserted, "a key is in one slot")
        }
      }
    #endif
  }
}
