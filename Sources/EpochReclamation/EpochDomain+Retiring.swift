import Primitives

extension EpochDomain {
  /// Hands over a node that is in no structure any more, to be reclaimed when no pin can see it.
  ///
  /// The node must have been taken out by a sequentially consistent operation of the caller, or by one
  /// that happened before the call. `byteCount` is about how much memory waits for it: large nodes have the
  /// epoch advance sooner.
  ///
  /// - Complexity: O(1) amortised. Outside a pin it may reclaim up to two bags of earlier entries.
  public func retire<T: Reclaimable>(
    _ pointer: UnsafeMutableRawPointer, as type: T.Type, byteCount: Int = 0
  ) {
    let me = participantOfThisThread
    // Sequentially consistent: comes after the unlinking in S (see the head of `EpochDomain.swift`), so
    // that whoever pins in a later epoch than this cannot have found the node.
    var tag = epoch.load(ordering: .sequentiallyConsistent)
    if Defect.tagFromPin.isPlanted { tag = me.ownState.epoch }
    me.add(Retired(pointer: pointer, type: type), tag: tag)
    if Defect.doubleRetire.isPlanted { me.add(Retired(pointer: pointer, type: type), tag: tag) }
    becomeLoud(me)
    me.own.weightUntilAdvance -= 1 + byteCount / Self.bytesOfUsualNode
    if me.own.weightUntilAdvance <= 0 { advanceByTheWay(me) }
    let isOutside = !me.ownState.isPinned || Defect.reclaimUnderPin.isPlanted
    if isOutside && !me.own.due.isEmpty { doWhatIsDue(me) }
  }

  /// Has the participant's next pins announced by exchanges: who retires much should not make every
  /// advance need a barrier.
  private func becomeLoud(_ me: Participant) {
    me.own.pinsUntilQuiet = pinsUntilQuiet
    let state = me.ownState
    guard state.isQuiet else { return }
    // Releasing: a scan that reads this acquires what was done under earlier pins.
    me.record.pointee.state.store(state.loud.word, ordering: .releasing)
  }

  /// What a retire of so much memory counts for beyond the first.
  private static var bytesOfUsualNode: Int { 256 }
}
