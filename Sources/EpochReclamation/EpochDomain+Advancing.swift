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
    var barriers = 0
    for _ in 0..<3 where canReclaim(me) && step(barriers: &barriers) {
      reclaimed += collect(me, bags: .max)
    }
    return reclaimed
  }

  /// Advances the epoch unless another participant has done so since this one's last attempt, and notes
  /// what is then due.
  ///
  /// After an advance that cost a barrier the next attempt comes later, after a failed one soon.
  func advanceByTheWay(_ me: Participant) {
    // Relaxed: a guess. Whoever misses an advance makes one too many.
    let now = epoch.load(ordering: .relaxed)
    if now != me.own.epochOfLastAttempt && !me.own.hasFailedToAdvance {
      me.own.due.insert(.collection)
    } else {
      attemptToAdvance(me)
    }
    me.own.weightUntilAdvance = me.own.advanceInterval
    // Relaxed: as above.
    me.own.epochOfLastAttempt = epoch.load(ordering: .relaxed)
  }

  private func attemptToAdvance(_ me: Participant) {
    var barriers = 0
    let isDone = step(barriers: &barriers)
    me.own.hasFailedToAdvance = !isDone
    me.own.advanceInterval =
      isDone && barriers > 0
      ? min(2 * me.own.advanceInterval, longestAdvanceInterval) : bagCapacity
    if isDone {
      me.own.due.insert(.collection)
    } else if telemetry.backlog > backlogLimit {
      me.own.due.insert(.stallReport)
    }
  }

  /// Advances the epoch by one unless a participant is pinned in an earlier one.
  func step(barriers: inout Int) -> Bool {
    // Sequentially consistent: the scan below must come after the last advance in S.
    let now = epoch.load(ordering: .sequentiallyConsistent)
    var needsBarrier = false
    if let participant = findBlocker(of: now, needsBarrier: &needsBarrier) {
      return fail(blockedBy: participant)
    }
    if needsBarrier {
      barriers += 1
      // Between the load of the epoch and the scan that counts: "Quiet pins" in `EpochDomain.swift`.
      guard AsymmetricBarrier.heavy() else { return fail(blockedBy: nil) }
      if let participant = findBlocker(of: now, needsBarrier: &needsBarrier) {
        return fail(blockedBy: participant)
      }
    }
    // Sequentially consistent: places the advance in S. Its failure means that another thread made the
    // same advance, after a scan of its own.
    _ = epoch.compareExchange(
      expected: now, desired: now + 1, ordering: .sequentiallyConsistent)
    // Relaxed, both: for telemetry alone, and not written without need.
    if blocker.load(ordering: .relaxed) != 0 { blocker.store(0, ordering: .relaxed) }
    return true
  }

  /// A participant that is pinned in another epoch than `now`; the first that is found.
  ///
  /// If there is none, the answer holds when no participant is quiet or a barrier came before.
  private func findBlocker(of now: UInt64, needsBarrier: inout Bool) -> Participant? {
    var next = participants.first
    while let participant = next {
      // Sequentially consistent; pairs with the exchange in `enterLoudly`, argued there. It also acquires
      // what the participant did before its last unpin.
      let word = participant.record.pointee.state.load(ordering: .sequentiallyConsistent)
      let state = PinState(word: word)
      let isInTheWay = state.isPinned && state.epoch != now
      if (isInTheWay || state.isQuiet) && !participant.hasVanished {
        if isInTheWay { return participant }
        needsBarrier = true
      }
      next = participant.next
    }
    return nil
  }

  /// Notes that the epoch stays as it is; returns false.
  private func fail(blockedBy participant: Participant?) -> Bool {
    // Relaxed, all three: for telemetry alone.
    let number = participant?.record.pointee.threadNumber.load(ordering: .relaxed) ?? 0
    blocker.store(number, ordering: .relaxed)
    failedAdvances.wrappingAdd(1, ordering: .relaxed)
    return false
  }

  // MARK: Collecting

  /// Whether the calling thread may run reclaimers: invariant 6 of `EpochDomain.swift`.
  func canReclaim(_ me: Participant) -> Bool {
    !me.ownState.isPinned && !me.own.isReclaiming && !Exclusion.isHeld
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
        me.withSealedBags(taggedLike: now + 1) { $0.putBack(first) }
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
