import Primitives

extension EpochDomain {
  /// Advances the epoch as far as the pins allow, by at most three, and reclaims all entries that
  /// become reclaimable. Entries in unfilled bags of other running threads remain, and released
  /// nodes that the library's thread has taken.
  ///
  /// Does nothing if the calling thread is pinned, inside an `update`, or inside a reclaimer.
  ///
  /// - Returns: The number of reclaimed entries.
  /// - Complexity: O(participants + reclaimed entries).
  @discardableResult
  public func advance() -> Int {
    let reclaimed = advance(participantOfThisThread).reclaimed
    if mayRunUserCode && !waiting.isEmpty { actAsReleaser(rounds: 3) }
    return reclaimed
  }

  private func advance(_ me: Participant) -> (reclaimed: Int, steps: Int) {
    var (reclaimed, steps, barriers) = (0, 0, 0)
    while steps < 3 && canReclaim(me) && step(barriers: &barriers) {
      steps += 1
      reclaimed += collect(me, entries: .max)
    }
    return (reclaimed, steps)
  }

  /// Attempts to advance the epoch, and records the work that is then due. Skips the attempt if
  /// another participant has advanced since this one's last attempt and that attempt succeeded.
  ///
  /// An advance that needed a barrier doubles the interval until the next attempt. Any other
  /// attempt resets it to `bagCapacity`.
  func advanceOpportunistically(_ me: Participant) {
    // Relaxed: a heuristic. A participant that misses an advance makes a superfluous one.
    let now = epoch.load(ordering: .relaxed)
    if now != me.own.epochOfLastAttempt && !me.own.hasFailedToAdvance {
      me.own.due.insert(.collection)
    } else {
      attemptToAdvance(me)
    }
    me.own.weightUntilAdvance = me.own.advanceInterval
    // Relaxed: a heuristic, as above.
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

  /// Records that a large node was retired. Seals its bag, so that the bag is reclaimed even if the
  /// participant retires nothing more.
  @inline(never)
  func noteLargeNode(_ me: Participant) {
    me.sealBag()
    // At the next unpin, unless an attempt for an earlier node has failed: a pin that lasts should
    // not make every write scan.
    if !me.own.due.contains(.advance) { me.own.unpinsUntilAdvance = 0 }
    me.own.due.insert(.advance)
  }

  /// Reclaims the large nodes that the participant has retired, if no pin prevents it; tries again
  /// at a later unpin if one does.
  func advanceForLargeNode(_ me: Participant) {
    guard canReclaim(me) else { return }
    guard me.own.unpinsUntilAdvance == 0 else {
      me.own.unpinsUntilAdvance -= 1
      return
    }
    me.own.due.remove(.advance)
    // Three steps collect the lists of all tags, and so every bag that was sealed before.
    guard advance(me).steps < 3 else { return }
    me.own.due.insert(.advance)
    me.own.unpinsUntilAdvance = bagCapacity
  }

  /// Advances the epoch by one, unless a participant is pinned in an older epoch; returns whether
  /// it did.
  func step(barriers: inout Int) -> Bool {
    // Sequentially consistent: the scan below comes after the advance to `now` in S.
    let now = epoch.load(ordering: .sequentiallyConsistent)
    var needsBarrier = false
    if let participant = findBlocker(of: now, needsBarrier: &needsBarrier) {
      return fail(blockedBy: participant)
    }
    if needsBarrier {
      barriers += 1
      // Between the load of the epoch and the decisive scan: "Asymmetric pins" in
      // `EpochDomain.swift`.
      guard AsymmetricBarrier.heavy() else { return fail(blockedBy: nil) }
      if let participant = findBlocker(of: now, needsBarrier: &needsBarrier) {
        return fail(blockedBy: participant)
      }
    }
    // Sequentially consistent: places the advance in S. If it fails, another thread has made the
    // same advance after a scan of its own.
    _ = epoch.compareExchange(
      expected: now, desired: now + 1, ordering: .sequentiallyConsistent)
    // Relaxed, both: only telemetry reads it. The load avoids needless writes.
    if blocker.load(ordering: .relaxed) != 0 { blocker.store(0, ordering: .relaxed) }
    return true
  }

  /// Returns the first participant found that is pinned in an epoch other than `now`; in any epoch
  /// if that is nil.
  ///
  /// A result of nil is reliable if no participant is asymmetric, or if a barrier came before the
  /// call.
  func findBlocker(of now: UInt64?, needsBarrier: inout Bool) -> Participant? {
    var next = participants.first
    while let participant = next {
      // Sequentially consistent; pairs with the `exchange` in `enterFenced`, which has the
      // argument. It also acquires the participant's accesses before its last unpin.
      let word = participant.record.pointee.state.load(ordering: .sequentiallyConsistent)
      let state = PinState(word: word)
      let isBlocking = state.isPinned && state.epoch != now
      if (isBlocking || state.isAsymmetric) && !participant.hasVanished {
        if isBlocking { return participant }
        needsBarrier = true
      }
      next = participant.next
    }
    return nil
  }

  /// Records that the epoch did not advance; returns false.
  private func fail(blockedBy participant: Participant?) -> Bool {
    // Relaxed, all three: only telemetry reads them.
    let number = participant?.record.pointee.threadNumber.load(ordering: .relaxed) ?? 0
    blocker.store(number, ordering: .relaxed)
    failedAdvances.wrappingAdd(1, ordering: .relaxed)
    return false
  }

  // MARK: Collecting

  /// Returns whether the calling thread may run reclaimers: invariant 6 of `EpochDomain.swift`.
  func canReclaim(_ me: Participant) -> Bool {
    !me.ownState.isPinned && !me.own.isReclaiming && !CriticalSection.isHeld
  }

  /// Reclaims the participant's own bag if it is reclaimable, and sealed bags until these had at
  /// least `limit` entries, beginning with its own; returns the number of reclaimed entries.
  ///
  /// The limit counts entries rather than bags: threads that end after a few retires leave nearly
  /// empty bags, and a limit in bags would reclaim them no faster than they arrive.
  @discardableResult
  func collect(_ me: Participant, entries limit: Int) -> Int {
    guard canReclaim(me) else { return 0 }
    // Sequentially consistent: after this load in S, no participant can reach an entry whose tag is
    // at most `now` - 2.
    let now = epoch.load(ordering: .sequentiallyConsistent)
    var bags = takeSealed(by: me, at: now, limit: limit)
    if let bag = me.own.bag, bag.isReclaimable(at: now) {
      me.own.bag = nil
      bags.prepend(bag)
    }
    return me.reclaim(bags)
  }

  /// Takes reclaimable bags until they have at least `limit` entries. Further bags go to `me`, for
  /// which a collection is then due.
  private func takeSealed(by me: Participant, at now: UInt64, limit: Int) -> BagChain {
    var bags = BagChain()
    var room = limit
    me.own.due.remove(.collection)
    var source: Participant? = me
    var next = participants.first
    while let participant = source {
      // now + 1 equals now - 2, the newest reclaimable tag, modulo 3.
      let taken = participant.withSealedBags(taggedLike: now + 1) { $0.takeAll() }
      let rest = move(from: taken, to: &bags, room: &room, at: now)
      // More bags may remain, here or with the participants not yet visited.
      if room <= 0 { me.own.due.insert(.collection) }
      if let first = rest.first {
        // The list of `me` is empty: it was taken first, and `me` has run no reclaimer since.
        me.withSealedBags(taggedLike: now + 1) { $0.putBack(first) }
        break
      }
      if room <= 0 { break }
      source = next
      next = next?.next
    }
    return bags
  }

  /// Transfers reclaimable bags from `taken` to `bags` until these have `room` more entries;
  /// returns the others.
  private func move(
    from taken: consuming BagChain, to bags: inout BagChain, room: inout Int, at now: UInt64
  ) -> BagChain {
    var kept = BagChain()
    while room > 0, let bag = taken.popFirst() {
      if bag.isReclaimable(at: now) {
        bags.prepend(bag)
        room -= bag.count
      } else {
        kept.prepend(bag)  // Sealed after the load of `now`.
      }
    }
    kept.append(taken)
    return kept
  }
}
