extension WeakArrayStorage {
  /// Traps unless there are at most as many entries as the last compaction allows, each with its tables.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      precondition(
        entryCount <= entryLimit, "stored entries are at most twice the live ones and 64 more")
      let witnessCount = ReferenceLayout.witnessCount(of: Element.self) > 0 ? entryCount : 0
      precondition(witnesses.count == witnessCount, "each entry has its witness tables")
    #endif
  }
}
