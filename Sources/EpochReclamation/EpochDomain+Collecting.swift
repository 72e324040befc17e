import Primitives

extension EpochDomain {
  /// Whether the calling thread may run reclaimers: invariant 6 of `EpochDomain.swift`.
  func canReclaim(_ me: Participant) -> Bool {
    (!me.ownState.isPinned || Defect.reclaimUnderPin.isPlanted) && !me.own.isReclaiming
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
    me.own.due.remove(.collection)
    var source: Participant? = me
    var next = participants.first
    while let participant = source {
      // now + 1 has the remainder of now - 2, the newest reclaimable tag.
      let taken = participant.withSealedBags(taggedLike: now + 1) { $0.takeAll() }
      let rest = move(from: taken, to: &bags, room: &room, at: now)
      // There may be more, here or with the participants not visited.
      if room == 0 { me.own.due.insert(.collection) }
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
