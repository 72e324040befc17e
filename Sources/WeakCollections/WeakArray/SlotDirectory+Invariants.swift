extension SlotDirectory {
  /// Traps unless every slot before the position is filled; to be called under a pin.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      let state = state
      precondition(state.position <= tail.capacity, "no more slots are filled than there are")
      for segment in segments.indices {
        for index in 0..<filledCount(ofSegment: segment, at: state) {
          precondition(segments[segment][index] != .free, "slots are filled from the front")
        }
      }
    #endif
  }
}
