import Primitives

extension EpochDomain {
  /// Advances the epoch as far as the pins allow, by three at most, and reclaims everything that this
  /// makes reclaimable, except what other running threads keep in bags they have not filled.
  ///
  /// Does nothing when the calling thread is pinned, inside an `update`, or inside a reclaimer.
  ///
  /// - Returns: how many entries were reclaimed.
  /// - Complexity: O(participants + reclaimed).
  @discardableResult
  public func advance() -> Int {
    let me = participantOfThisThread
    var reclaimed = 0
    for _ in 0..<3 where canReclaim(me) && step() {
      reclaimed += collect(me, bags: .max)
    }
    return reclaimed
  }

  /// Advances the epoch by one unless a participant is pinned in an earlier one.
  func step() -> Bool {
    // Sequentially consistent: the scan below must come after the last advance in S.
    let now = epoch.load(ordering: .sequentiallyConsistent)
    var next = participants.first
    if Defect.overlookedParticipant.isPlanted { next = next?.next }
    while let participant = next {
      let record = participant.record
      // Sequentially consistent; pairs with the exchange in `enter`, argued there. It also acquires
      // what the participant did before its last unpin.
      let state = record.pointee.state.load(ordering: .sequentiallyConsistent)
      if state != 0 && state >> 1 != now {
        // Relaxed, all three: for telemetry alone.
        blocker.store(record.pointee.threadNumber.load(ordering: .relaxed), ordering: .relaxed)
        failedAdvances.wrappingAdd(1, ordering: .relaxed)
        return false
      }
      next = participant.next
    }
    // Sequentially consistent: places the advance in S. Its failure means that another thread made the
    // same advance, after a scan of its own.
    if !Defect.stuckEpoch.isPlanted {
      _ = epoch.compareExchange(
        expected: now, desired: now + (Defect.advanceByTwo.isPlanted ? 2 : 1),
        ordering: .sequentiallyConsistent)
    }
    // Relaxed: for telemetry alone.
    blocker.store(0, ordering: .relaxed)
    return true
  }

  private func canReclaim(_ me: Participant) -> Bool {
    (me.own.nesting == 0 || Defect.reclaimUnderPin.isPlanted) && !me.own.isReclaiming
      && !Exclusion.isHeld
  }

  /// Reclaims the participant's own bag when it can be, and up to `limit` sealed bags, its own first.
  @discardableResult
  func collect(_ me: Participant, bags limit: Int) -> Int {
    guard canReclaim(me) else { return 0 }
    // Sequentially consistent: everything tagged two before it is invisible from here on.
    let now = epoch.load(ordering: .sequentiallyConsistent)
    var bags = takeSealed(by: me, at: now, limit: limit)
    if let bag = me.own.bag, bag.isReclaimable(at: now) {
      me.own.bag = nil
      bags.prepend(bag)
    }
    return me.reclaim(bags)
  }

  /// Up to `limit` reclaimable bags. What there is no room for becomes `me`'s and due.
  private func takeSealed(by me: Participant, at now: UInt64, limit: Int) -> BagChain {
    var bags = BagChain()
    var room = limit
    me.own.isCollectionDue = false
    var source: Participant? = me
    var next = participants.first
    while let participant = source {
      // now + 1 has the remainder of now - 2, the newest reclaimable tag.
      let taken = participant.withSealedBags(taggedLike: now + 1) { $0.takeAll() }
      let rest = move(from: taken, to: &bags, room: &room, at: now)
      // There may be more, here or with the participants not visited.
      me.own.isCollectionDue = room == 0
      if let first = rest.first {
        // `me`'s list is empty: it was taken first, and no reclaimer of ours has run since.
        if !Defect.restOfBagsDropped.isPlanted {
          me.withSealedBags(taggedLike: now + 1) { $0.putBack(first) }
        }
        break
      }
      if room == 0 { break }
      source = next
      next = next?.next
    }
    return bags
  }

  /// Moves reclaimable bags while there is room; returns the others.
  private func move(
    from taken: consuming BagChain, to bags: inout BagChain, room: inout Int, at now: UInt64
  ) -> BagChain {
    var kept = BagChain()
    while room > 0, let bag = taken.popFirst() {
      if bag.isReclaimable(at: now) {
        bags.prepend(bag)
        room -= 1
      } else {
        kept.prepend(bag)  // Sealed after `now` was read.
      }
    }
    kept.append(taken)
    return kept
  }
}
