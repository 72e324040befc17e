extension WeakArrayStorage {
  /// Traps unless there are at most as many entries as the last compaction allows.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants() {
    #if InternalChecks
      precondition(
        entryCount <= entryLimit, "stored entries are at most twice the live ones and 64 more")
    #endif
  }
}
