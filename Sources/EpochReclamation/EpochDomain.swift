// Epoch-based reclamation (Fraser, "Practical lock-freedom", 2004), with the epoch as a counter that
// only grows.
//
// A structure takes a node out and then *retires* it. Readers *pin* the epoch while they hold pointers
// into a structure. The epoch *advances* by one only when every pinned participant is pinned in the
// current one; a node is *reclaimed* once the epoch is two past the one in which it was retired, since
// then every participant that could have reached it has unpinned.
//
// Invariants:
//  1. `ParticipantRecord.state` is written by its owner alone; odd means pinned.
//  2. `epoch` grows by one at a time, and by at most one while a participant stays pinned. (It may have
//     grown further between a participant's load of it and its pin; the pin then allows no advance.)
//  3. An entry's tag is the epoch read after the node became unreachable, or a later one.
//  4. An entry is reclaimed when the epoch is at least its tag + 2, once, by one thread.
//  5. A bag has one owner: a participant's `bag` or `spareBag`, one sealed list, or the taker.
//  6. A reclaimer runs outside every pin of the domain, outside every exclusion, and never inside
//     another reclaimer of the domain on the same thread.
//
// Why 4 protects readers. Let S be the order of the sequentially consistent operations. A reader that
// finds node X loaded a slot before X was unlinked, so in S: its load of the epoch, its exchange of
// `state`, its load of the slot, the unlinking, the retirer's load of the epoch (= the tag t), the
// advance from t to t + 1. The reader's load of the epoch came before that advance, so it is pinned in
// an epoch of at most t. The scan before the advance from t + 1 to t + 2 comes later in S; it sees the
// reader's state, either pinned in an epoch other than t + 1, and the advance fails, or unpinned, and
// the unpin's release makes all the reader's accesses happen before the reclaiming.

import Primitives

/// A set of participants that share an epoch: what one of them retires is kept from being reclaimed by
/// the pins of all of them.
///
/// Collections use `shared` unless told otherwise. A domain of one's own keeps long pins, and tests,
/// from delaying everybody else; it lives until every thread that pinned it has ended.
///
/// With nobody pinned, at most participants × `bagCapacity` entries are kept after one `advance()`.
/// While one participant stays pinned, everything retired since is kept; `telemetry.blockedBy` names its
/// thread after the next failed advance. After its unpin, N kept entries are reclaimed within
/// (3 × `bagCapacity` + 3 × N ÷ `bagCapacity`) × participants further retires, each of which reclaims
/// at most two bags.
public final class EpochDomain: Sendable {
  public static let shared = EpochDomain()
  static let firstEpoch: UInt64 = 2

  /// The most entries that one participant keeps to itself, and the number of its retires between two
  /// attempts to advance.
  public let bagCapacity: Int

  /// The backlog from which on a failed advance is reported: a participant has been pinned too long.
  public let backlogLimit: Int

  let epoch = Atomic<UInt64>(EpochDomain.firstEpoch)
  let participants = ParticipantList()
  let failedAdvances = Atomic<Int>(0)
  /// The thread number of the participant that made the last advance fail; 0 when none did.
  let blocker = Atomic<UInt64>(0)
  let reportStall: @Sendable (EpochTelemetry) -> Void

  /// A domain of one's own.
  ///
  /// - Parameters:
  ///   - bagCapacity: at least 1; by default 64, and 4 under ThreadSanitizer, where reclaiming often
  ///     makes more schedules a test of it.
  ///   - backlogLimit: from how many kept entries on a failed advance calls `reportStall`.
  ///   - reportStall: called outside pins, by the retiring thread, at most once per `bagCapacity` retires;
  ///     by default an assertion failure that names the thread.
  public init(
    bagCapacity: Int = Sanitizer.isThreadSanitizer ? 4 : 64, backlogLimit: Int = 1 << 24,
    reportStall: @escaping @Sendable (EpochTelemetry) -> Void = EpochDomain.assertNoStall
  ) {
    precondition(bagCapacity > 0, "a bag holds at least one entry")
    self.bagCapacity = bagCapacity
    self.backlogLimit = backlogLimit
    self.reportStall = reportStall
  }

  deinit {
    noteLastRelease(of: self)
    // No thread takes part any more: each retained the domain, and its release orders what it did.
    var next = participants.first
    while let participant = next {
      next = participant.next
      participant.destroy()
    }
  }

  /// Runs `body` with the epoch pinned: nothing that `body` finds in a structure of this domain is
  /// reclaimed before it returns.
  ///
  /// Pins nest; only the outermost costs an atomic exchange. Run no user code inside: a pin that lasts
  /// keeps everything that anybody retires. What is due is reclaimed on return from the outermost pin.
  public func pin<R: ~Copyable, F: Error>(_ body: () throws(F) -> R) throws(F) -> R {
    let me = participantOfThisThread
    enter(me)
    if Defect.earlyUnpin.isPlanted { me.record.pointee.state.store(0, ordering: .releasing) }
    defer { leave(me) }
    return try body()
  }

  /// Hands over a node that is in no structure any more, to be reclaimed when no pin can see it.
  ///
  /// The node must have been taken out by a sequentially consistent operation of the caller, or by one
  /// that happened before the call.
  ///
  /// - Complexity: O(1) amortised. Outside a pin it may reclaim up to two bags of earlier entries.
  public func retire<T: Reclaimable>(_ pointer: UnsafeMutableRawPointer, as type: T.Type) {
    let me = participantOfThisThread
    // Sequentially consistent: comes after the unlinking in S (see the head of this file), so that
    // whoever pins in a later epoch than this cannot have found the node.
    var tag = epoch.load(ordering: .sequentiallyConsistent)
    if Defect.tagFromPin.isPlanted { tag = me.record.pointee.state.load(ordering: .relaxed) >> 1 }
    me.add(Retired(pointer: pointer, type: type), tag: tag)
    if Defect.doubleRetire.isPlanted { me.add(Retired(pointer: pointer, type: type), tag: tag) }
    me.own.retiresUntilAdvance -= 1
    if me.own.retiresUntilAdvance == 0 { advanceByTheWay(me) }
    if me.own.nesting == 0 || Defect.reclaimUnderPin.isPlanted { doWhatIsDue(me) }
  }

  private func advanceByTheWay(_ me: Participant) {
    me.own.retiresUntilAdvance = bagCapacity
    if step() {
      me.own.isCollectionDue = true
    } else if telemetry.backlog > backlogLimit {
      me.own.isStallReportDue = true
    }
  }

  private func enter(_ me: Participant) {
    me.own.nesting += 1
    guard me.own.nesting == 1 else { return }
    // Sequentially consistent: an advance that this load misses comes later in S than it.
    let now = epoch.load(ordering: .sequentiallyConsistent)
    // An exchange rather than a store: on x86 the two cost the same when sequentially consistent.
    // Sequentially consistent, as are all loads of slots under a pin; pairs with the scan in `step`:
    // - if this comes first, the scan sees us pinned and the epoch waits;
    // - if the scan comes first, our loads see everything that was unlinked before it.
    let announced = Defect.pinInNextEpoch.isPlanted ? now + 1 : now
    _ = me.record.pointee.state.exchange(announced << 1 | 1, ordering: .sequentiallyConsistent)
    checkInvariants(of: me)
  }

  private func leave(_ me: Participant) {
    me.own.nesting -= 1
    guard me.own.nesting == 0 || Defect.pinsDoNotNest.isPlanted else { return }
    // Releasing: pairs with the scan in `step`; what was read under the pin happened before whatever
    // is reclaimed because of that scan.
    me.record.pointee.state.store(0, ordering: .releasing)
    doWhatIsDue(me)
  }

  private func doWhatIsDue(_ me: Participant) {
    if me.own.isCollectionDue { collect(me, bags: 1) }
    if me.own.isStallReportDue {
      me.own.isStallReportDue = false
      reportStall(telemetry)
    }
  }

  /// Stops a debug build with a line that names the thread which has been pinned too long.
  public static func assertNoStall(_ telemetry: EpochTelemetry) {
    assertionFailure(
      "\(telemetry.backlog) retired entries are kept by the pin of thread "
        + (telemetry.blockedBy.map { "\($0)" } ?? "?"))
  }
}
