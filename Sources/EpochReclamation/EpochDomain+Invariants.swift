import Primitives

extension EpochDomain {
  /// Traps unless the participant, when pinned, is pinned in the epoch or in one before it.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants(of participant: Participant) {
    #if InternalChecks
      // Sequentially consistent, both: the state is read first, so that the epoch read next is no older.
      let word = participant.record.pointee.state.load(ordering: .sequentiallyConsistent)
      let now = epoch.load(ordering: .sequentiallyConsistent)
      let state = PinState(word: word)
      precondition(
        !state.isPinned || state.epoch <= now, "nobody is pinned in an epoch to come")
    #endif
  }
}
