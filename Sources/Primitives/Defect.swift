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

  /// An advance among quiet participants makes no barrier. Memory.
  case heavyBarrierLeftOut = "heavy-barrier-left-out"
  /// The store of a quiet pin sinks below the loads under it: no barrier to the compiler. Memory.
  case announcementSunk = "announcement-sunk"
  /// A participant leaves its attempts out because of advances that it made itself. Bound: the backlog.
  case attemptsLeftOut = "attempts-left-out"

  // LockFreeWeakArray.

  /// A closed directory is appended to. History: a lost append.
  case closingIgnored = "closing-ignored"
  /// A removal is decided for an entry that an earlier one may have taken. History: an object removed twice.
  case targetNotLookedAtAgain = "target-not-looked-at-again"
  /// The state goes on behind a removal before the tombstone is there. History.
  case removalNotDone = "removal-not-done"
  /// A snapshot does not look whether the array changed while it was taken. History.
  case noSecondLook = "no-second-look"
  /// A snapshot that goes on keeps what was removed meanwhile. History.
  case removedKept = "removed-kept"
  /// A compaction does not keep the living alive until it takes effect. History.
  case survivorsNotHeld = "survivors-not-held"
  /// Whoever does not get to replace a directory goes on as if it had. Memory, history.
  case loserGoesOn = "loser-goes-on"
  /// A segment that was replaced is given back at once. Memory.
  case segmentFreedAtOnce = "segment-freed-at-once"
  /// Everyone who helps a removal retires its entry. Memory.
  case retiredByHelpers = "retired-by-helpers"
  /// An entry that was removed is given back at once. Memory.
  case entryFreedAtOnce = "entry-freed-at-once"
  /// Entries that a new directory leaves out are forgotten. Memory: a leak.
  case droppedNotRetired = "dropped-not-retired"
  /// A segment's survivors are copied without the last of them. History.
  case survivorForgotten = "survivor-forgotten"

  // LockFreeDictionary.

  /// A read that does not find its key in a table does not look in the next one. History: a lost key.
  case missNotPursued = "miss-not-pursued"
  /// A write puts a value into an untouched cell without a look whether there is a next table. History.
  case nextOverlooked = "next-overlooked"
  /// A write looks for a next table after it has looked for its key. History: a key is there twice.
  case scanBeforeNext = "scan-before-next"
  /// A mover does not look, after its scan, whether its cell was moved meanwhile. History, memory.
  case staleMove = "stale-move"
  /// A chunk is counted as moved before it is. History: lost keys.
  case chunkDoneTooSoon = "chunk-done-too-soon"
  /// A table that was replaced is given back at once. Memory.
  case tableFreedAtOnce = "table-freed-at-once"
  /// The node of a key that was removed is given back at once. Memory.
  case keyNodeFreedAtOnce = "key-node-freed-at-once"
  /// `setValue` writes a key whose `update` is running. History: a lost write.
  case claimIgnored = "claim-ignored"
  /// `update` runs its body twice. History.
  case bodyRunsTwice = "body-runs-twice"
  /// Get-or-insert does not give up the value that it has not inserted. Memory: a leak.
  case loserKept = "loser-kept"
  /// A thread that waits for a claim's end reads its ticket after it has looked. Progress.
  case lostWakeUp = "lost-wake-up"
  /// A key is counted after it has got its value. Progress: tables too small for what is there.
  case countedTooLate = "counted-too-late"
  /// Removals are not counted. Bound: the count at quiescence.
  case countNeverFalls = "count-never-falls"

  // AdaptiveLock.

  /// The lock is taken by a load and a store. Memory: a data race.
  case lockTakenTwice = "lock-taken-twice"
  /// A lock that others wait for is freed without waking one of them. Progress.
  case freedWithoutWaking = "freed-without-waking"
  /// The lock is freed by a load and a store: who begins to wait in between is not woken. Progress.
  case freedByStore = "freed-by-store"
  /// A woken thread goes on as if it had the lock. Memory: a data race.
  case wakeTakenForLock = "wake-taken-for-lock"
  /// A woken thread takes the lock as one that nobody waits for. Progress: the others are not woken.
  case waitersForgotten = "waiters-forgotten"
  /// A thread goes to sleep without having said that it waits. Progress.
  case sleptUnannounced = "slept-unannounced"

  // BucketLockDictionary.

  /// A key is put into a slot without a new version of its bucket. History: another key's value.
  case slotReusedUnsaid = "slot-reused-unsaid"
  /// A write goes into a bucket that is moved. History: a lost write.
  case movedBucketWritten = "moved-bucket-written"
  /// A read looks into a bucket that is moved. History.
  case movedBucketRead = "moved-bucket-read"
  /// A bucket is locked by a load and a store. History, memory.
  case bucketLockedTwice = "bucket-locked-twice"
  /// A bucket that others wait for is unlocked without waking them. Progress.
  case unlockedWithoutWaking = "unlocked-without-waking"
  /// A bucket is unlocked by a store. History: a write that nobody sees yet has returned.
  case unlockedByStore = "unlocked-by-store"
  /// Of several buckets that are moved at once only the first is locked. History.
  case unitHalfLocked = "unit-half-locked"
  /// The buckets behind one are not moved with it. History: lost keys.
  case restOfBucketLeft = "rest-of-bucket-left"

  // LockFreeWeakTable.

  /// An insertion replaces a living entry, whatever it found. History.
  case weakEntryOverwritten = "weak-entry-overwritten"
  /// An entry that was removed or replaced is given back at once. Memory.
  case weakEntryFreedAtOnce = "weak-entry-freed-at-once"
  /// Removals of entries are not counted. Bound: the count of entries.
  case weakRemovalNotCounted = "weak-removal-not-counted"
  /// The number of entries is read after it was changed: two insertions may get the same. Bound.
  case weakNumberRepeated = "weak-number-repeated"
  /// A sweep removes the entry that it finds, though it may be another than the dead one. History.
  case sweptUnasked = "swept-unasked"
  /// An insertion that finds a dead entry leaves it. History: two objects of one key.
  case deadEntryKept = "dead-entry-kept"
  /// Who loses a get-or-insert returns what it had made. History: two objects of one key.
  case internLoserKeeps = "intern-loser-keeps"
  /// A purge counts dead entries that another thread removed. Bound: each is compacted once.
  case purgeCountsOthers = "purge-counts-others"

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
