import Primitives

extension EpochDomain {
  /// Runs `body` with the epoch pinned: nothing that `body` finds in a structure of this domain is
  /// reclaimed before it returns.
  ///
  /// Pins nest; only the outermost is announced to others. Run no user code inside: a pin that lasts
  /// keeps everything that anybody retires. What is due is reclaimed on return from the outermost pin.
  @inline(__always)
  public func pin<R: ~Copyable, F: Error>(_ body: () throws(F) -> R) throws(F) -> R {
    let me = participantOfThisThread
    let state = me.ownState
    if !state.isPinned { enter(me, isQuiet: state.isQuiet) }
    if Defect.earlyUnpin.isPlanted { leave(me) }
    defer { if !state.isPinned || Defect.pinsDoNotNest.isPlanted { leave(me) } }
    return try body()
  }

  @inline(__always)
  private func enter(_ me: Participant, isQuiet: Bool) {
    // Sequentially consistent: an advance that this load misses comes later in S than it.
    var now = epoch.load(ordering: .sequentiallyConsistent)
    if Defect.pinInNextEpoch.isPlanted { now += 1 }
    if isQuiet {
      if Defect.announcementSunk.isPlanted { return }
      // Releasing: hands on what was done under earlier pins to a scan that reads this. Its visibility
      // before the loads under this pin is the barriers' care: "Quiet pins" in `EpochDomain.swift`.
      me.record.pointee.state.store(
        PinState(pinnedIn: now, isQuiet: true).word, ordering: .releasing)
      AsymmetricBarrier.light()
    } else {
      enterLoudly(me, now)
    }
    checkInvariants(of: me)
  }

  /// Announces a pin by an exchange; the last of so many makes the participant quiet.
  @inline(__always)
  private func enterLoudly(_ me: Participant, _ now: UInt64) {
    let isQuiet = me.own.pinsUntilQuiet == 0
    me.own.pinsUntilQuiet &-= 1
    // An exchange rather than a store: on x86 the two cost the same when sequentially consistent.
    // Sequentially consistent, as are all loads of slots under a pin; pairs with the scan in `step`:
    // - if this comes first, the scan sees us pinned and the epoch waits;
    // - if the scan comes first, our loads see everything that was unlinked before it.
    _ = me.record.pointee.state.exchange(
      PinState(pinnedIn: now, isQuiet: isQuiet).word, ordering: .sequentiallyConsistent)
  }

  @inline(__always)
  private func leave(_ me: Participant) {
    // Releasing: pairs with the scan in `step`; what was read under the pin happened before whatever
    // is reclaimed because of that scan.
    me.record.pointee.state.store(me.ownState.unpinned.word, ordering: .releasing)
    if !me.own.due.isEmpty { doWhatIsDue(me) }
  }

  @inline(never)
  func doWhatIsDue(_ me: Participant) {
    if me.own.due.contains(.collection) { collect(me, bags: 1) }
    if me.own.due.contains(.stallReport) {
      me.own.due.remove(.stallReport)
      reportStall(telemetry)
    }
  }
}
