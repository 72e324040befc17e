import Primitives

// Epoch-based reclamation (Fraser, "Practical lock-freedom", 2004), with the epoch as a counter that
// only grows.
//
// A structure takes a node out and then *retires* it. Readers *pin* the epoch while they hold pointers
// into a structure. The epoch *advances* by one only when every pinned participant is pinned in the
// current one; a node is *reclaimed* once the epoch is two past the one in which it was retired, since
// then every participant that could have reached it has unpinned.
//
// Invariants:
//  1. `ParticipantRecord.state` is written by its owner alone.
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
//
// Quiet pins. The exchange keeps the loads under a pin from being made before the pin is visible; it is
// most of what a pin costs. A participant that has pinned often without retiring becomes *quiet*: its
// pins are a plain store and a barrier L to the compiler alone. A scan that finds a quiet participant
// then makes up for it by a barrier H on every thread, and scans once more. Of L and H one comes first,
// and for the advance from t + 1 to t + 2 above:
//  - if L comes first, the second scan sees the pin (or what followed it, and the reader has unpinned);
//  - if H comes first, the reader's loads see everything unlinked before the advancer's load of the
//    epoch, which found t + 1 and so came after the unlinking of X in S: the reader does not find X.
// H before the load of the epoch would not do: X could be unlinked, and the epoch come to t + 1, between
// the two. (`QuietPinTests` tries all schedules of this, and of the wrong orders.) Who is quiet says so in `state` itself, since an exchange made it so: if a scan reads a value
// that is not quiet, a later quiet pin of that participant follows an exchange that the scan did not
// see, so that the pin's loads come after the scan's in S and see everything unlinked before it. The
// store of a quiet pin releases, since a scan that reads it must acquire what was done under the pin
// before it, whose unpin it did not read.
//
// H is a system call that interrupts every core on which a thread of the process runs. So a participant
// that retires is not quiet, the interval between attempts to advance doubles with each that cost an H,
// up to `longestAdvanceInterval`, and an attempt is left out when another participant has advanced since
// the last one. A pin that can be seen without H costs none.

/// A set of participants that share an epoch: what one of them retires is kept from being reclaimed by
/// the pins of all of them.
///
/// Collections use `shared` unless told otherwise. A domain of one's own keeps long pins, and tests,
/// from delaying everybody else; it lives until every thread that pinned it has ended.
///
/// With nobody pinned, at most participants × `bagCapacity` entries are kept after one `advance()`.
/// While one participant stays pinned, everything retired since is kept; `telemetry.blockedBy` names its
/// thread after the next failed advance. After its unpin, N kept entries are reclaimed within
/// (7 × `bagCapacity` + 3 × N ÷ `bagCapacity`) × participants further retires, each of which reclaims
/// at most two bags. While nobody stays pinned and nobody calls `advance()`, entries are kept for at most
/// three intervals of each participant: 3 × `bagCapacity` retires, or 3 × `longestAdvanceInterval` when
/// others pin quietly; retires of much memory count as several.
///
/// In a child process, what threads that the fork left behind had in bags they had not filled is never
/// reclaimed; all else is, as if they had ended.
public final class EpochDomain: Sendable {
  public static let shared = EpochDomain()
  static let firstEpoch: UInt64 = 2

  /// How a pin becomes visible to whoever advances the epoch.
  public enum Pinning: Sendable {
    /// By an atomic exchange: some nanoseconds a pin, nothing for an advance.
    case exchanging
    /// By an exchange, but after so many pins without a retire by a mere store: nothing a pin, and a
    /// system call (membarrier), some microseconds, an advance. Where the system has no such call, and
    /// under ThreadSanitizer, which does not know it, the same as `exchanging`.
    case asymmetric(afterPins: Int)

    public static var standard: Pinning { .asymmetric(afterPins: 32) }
  }

  private let leadingPadding = CacheLinePadding()

  /// Written by advances alone, and alone with what never changes: every pin reads it.
  let epoch = Atomic<UInt64>(EpochDomain.firstEpoch)
  let participants = ParticipantList()
  /// Never reached when pins are not asymmetric.
  let pinsUntilQuiet: Int

  /// The most entries that one participant keeps to itself, and the number of its retires between two
  /// attempts to advance, but for those after one that cost a barrier.
  public let bagCapacity: Int

  /// The most retires between two attempts to advance.
  public let longestAdvanceInterval: Int

  /// The backlog from which on a failed advance is reported: a participant has been pinned too long.
  public let backlogLimit: Int
  let reportStall: @Sendable (EpochTelemetry) -> Void

  private let trailingPadding = CacheLinePadding()

  let failedAdvances = Atomic<Int>(0)
  /// The thread number of the participant that made the last advance fail; 0 when none did.
  let blocker = Atomic<UInt64>(0)

  /// A domain of one's own.
  ///
  /// - Parameters:
  ///   - pinning: how a pin becomes visible.
  ///   - bagCapacity: at least 1; by default 64, and 4 under ThreadSanitizer, where reclaiming often
  ///     makes more schedules a test of it.
  ///   - backlogLimit: from how many kept entries on a failed advance calls `reportStall`.
  ///   - reportStall: called outside pins, by the retiring thread, at most once per `bagCapacity` retires;
  ///     by default an assertion failure that names the thread, and in a release build one line on
  ///     standard error.
  public init(
    pinning: Pinning = .standard, bagCapacity: Int = Sanitizer.isThreadSanitizer ? 4 : 64,
    backlogLimit: Int = 1 << 24,
    reportStall: @escaping @Sendable (EpochTelemetry) -> Void = EpochDomain.assertNoStall
  ) {
    precondition(bagCapacity > 0, "a bag holds at least one entry")
    self.bagCapacity = bagCapacity
    if case .asymmetric(let pins) = pinning, AsymmetricBarrier.isSupported {
      pinsUntilQuiet = pins
      longestAdvanceInterval = 4 * bagCapacity
    } else {
      pinsUntilQuiet = .max
      longestAdvanceInterval = bagCapacity
    }
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

  // MARK: Pinning

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
    defer { if !state.isPinned { leave(me) } }
    return try body()
  }

  @inline(__always)
  private func enter(_ me: Participant, isQuiet: Bool) {
    // Sequentially consistent: an advance that this load misses comes later in S than it.
    let now = epoch.load(ordering: .sequentiallyConsistent)
    if isQuiet {
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

  // MARK: Retiring

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
    // Sequentially consistent: comes after the unlinking in S (see the head of this file), so
    // that whoever pins in a later epoch than this cannot have found the node.
    let tag = epoch.load(ordering: .sequentiallyConsistent)
    me.add(Retired(pointer: pointer, type: type), tag: tag)
    becomeLoud(me)
    me.own.weightUntilAdvance -= 1 + byteCount / Self.bytesOfUsualNode
    if me.own.weightUntilAdvance <= 0 { advanceByTheWay(me) }
    if !me.ownState.isPinned && !me.own.due.isEmpty { doWhatIsDue(me) }
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
