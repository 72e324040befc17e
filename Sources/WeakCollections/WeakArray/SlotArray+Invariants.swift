extension SlotArray {
  /// Traps unless every counted slot is filled; to be called under a pin.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      let count = count
      precondition(count <= capacity, "no more slots are counted than there are")
      for index in 0..<count { _ = self[index] }  // Traps on an empty slot.
    #endif
  }
}
