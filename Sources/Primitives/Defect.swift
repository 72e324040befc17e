/// Defects planted in the real code, one of which a process may select: what the stress harness must find.
///
/// Without the trait `Mutants` none is planted, and the code that asks is compiled away. Each case says
/// what is broken and what must find it: *memory* (use after reclaim, double reclaim, leak or data race,
/// under the managed scheduler), *history* (a result that no order explains), *bound* (a stated number is
/// exceeded) or *progress* (a thread waits for ever).
public enum Defect: String, CaseIterable, Sendable {
  // EpochReclamation.

  /// Memory is reclaimed one epoch after it was retired, not two. Memory.
  case earlyFree = "early-free"
  /// An advance does not look at the newest participant. Memory.
  case overlookedParticipant = "overlooked-participant"
  /// An advance adds two to the epoch. Memory.
  case advanceByTwo = "advance-by-two"
  /// No advance ever changes the epoch. Bound: the backlog.
  case stuckEpoch = "stuck-epoch"
  /// A pin announces the epoch to come, in which it holds nothing up. Memory.
  case pinInNextEpoch = "pin-in-next-epoch"
  /// A pin ends before its body begins. Memory.
  case earlyUnpin = "early-unpin"
  /// The end of an inner pin ends the outer one too. Memory.
  case pinsDoNotNest = "pins-do-not-nest"
  /// A retired node is tagged with the epoch of its retirer's pin, which may be an old one. Memory.
  case tagFromPin = "tag-from-pin"
  /// A node is retired twice. Memory.
  case doubleRetire = "double-retire"
  /// Memory is reclaimed by a thread that is pinned itself: a `deinit` runs under its pin. Bound: none may.
  case reclaimUnderPin = "reclaim-under-pin"
  /// What an ending thread has retired is forgotten. Memory: a leak.
  case limboDroppedAtExit = "limbo-dropped-at-exit"
  /// A new thread takes the participant record of one that still runs. Memory: a data race.
  case recordSharedByTwo = "record-shared-by-two"
  /// Of two threads that register at once one is not in the list. Memory.
  case participantLost = "participant-lost"
  /// A full bag is put into the list of another epoch. Bound: the backlog.
  case misfiledBag = "misfiled-bag"
  /// Full bags that there is no room for are forgotten. Memory: a leak.
  case restOfBagsDropped = "rest-of-bags-dropped"
  /// Two threads may take the same full bags, since taking is a load and a store. Memory.
  case bagsTakenTwice = "bags-taken-twice"
  /// A bag is given back or used again before what is in it is reclaimed. Memory.
  case bagRecycledTooSoon = "bag-recycled-too-soon"

  // LockFreeWeakArray.

  /// Appends are still counted in a generation of which a copy was made. History: a lost append.
  case freezeNotHonoured = "freeze-not-honoured"
  /// A removal that another thread's compaction prevented counts as done. History: a lost removal.
  case removeTakenForDone = "remove-taken-for-done"
  /// An append puts its entry into the slot of a dead one, which it frees at once (ABA). Memory, history.
  case slotReused = "slot-reused"
  /// A slot is counted before it is filled. A trap, or memory.
  case countedBeforeFilled = "counted-before-filled"
  /// A snapshot in which some have died does not look again whether the array is unchanged. History.
  case noSecondLook = "no-second-look"
  /// Whoever does not get to replace a generation goes on as if it had. Memory, history.
  case loserGoesOn = "loser-goes-on"
  /// A generation that was replaced is given back at once. Memory.
  case generationFreedAtOnce = "generation-freed-at-once"
  /// Entries that a new generation leaves out are forgotten. Memory: a leak.
  case droppedNotRetired = "dropped-not-retired"

  // LockFreeDictionary.

  /// A write goes into a bucket that was frozen and copied. History: a lost write.
  case frozenBucketWritten = "frozen-bucket-written"
  /// A new table lacks the nodes of the first bucket. History; memory.
  case bucketForgotten = "bucket-forgotten"
  /// `setValue` writes a key whose `update` is running. History: a lost write.
  case claimIgnored = "claim-ignored"
  /// `update` runs its body twice. History.
  case bodyRunsTwice = "body-runs-twice"
  /// Get-or-insert gives back the node that it has inserted. Memory.
  case winnersNodeDestroyed = "winners-node-destroyed"
  /// A node that was replaced is given back at once. Memory.
  case nodeFreedAtOnce = "node-freed-at-once"
  /// The nodes before the one that is replaced are left out of the new chain. History: lost keys.
  case neighboursLost = "neighbours-lost"
  /// A thread that waits for a claim's end reads its ticket after it has looked. Progress.
  case lostWakeUp = "lost-wake-up"
  /// Removals are not counted. Bound: the count at quiescence.
  case countNeverFalls = "count-never-falls"

  #if Mutants
    // Written before the threads start that read it.
    nonisolated(unsafe) private static var planted: Defect?

    /// Selects the one defect of this process; nil for none. To be called while no other thread uses our
    /// code.
    public static func plant(_ defect: Defect?) {
      planted = defect
    }

    public var isPlanted: Bool { Self.planted == self }
  #else
    @inline(__always)
    public var isPlanted: Bool { false }
  #endif
}
