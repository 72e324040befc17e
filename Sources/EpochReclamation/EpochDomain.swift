import Primitives

// Epoch-based reclamation (Fraser, "Practical lock-freedom", 2004), with an epoch counter that only
// grows.
//
// A thread unlinks a node from a structure and then *retires* it. Readers *pin* the epoch while
// they hold pointers into a structure. The epoch *advances* by one only when every pinned
// participant is pinned in the current epoch. A node is *reclaimed* once the epoch is two past the
// epoch in which it was retired: by then every participant that could have reached the node has
// unpinned.
//
// Invariants:
//  1. Only the owner of a participant record writes its `state`.
//  2. `epoch` grows by one at a time, and by at most one while a participant stays pinned. (It may
//     also grow between a participant's load of the epoch and its pin. The pin is then in an older
//     epoch and blocks every advance whose scan comes after it.)
//  3. An entry's tag is the epoch, read after the node became unreachable, or a later epoch.
//  4. An entry is reclaimed once, by one thread, when the epoch is at least its tag + 2.
//  5. A bag has one owner: a participant's `bag` or `spareBag`, one sealed list, or the thread that
//     took it from there.
//  6. A reclaimer runs outside every pin of the domain, outside every `update` (`CriticalSection`),
//     and never inside another reclaimer of the domain on the same thread. It runs no user code:
//     nodes that may do so are released (`EpochDomain+Releasing.swift`), not retired.
//
// Why invariant 4 protects readers. Let S be the order of the sequentially consistent operations. A
// reader that finds node X loaded a slot before X was unlinked. So these operations follow each
// other in S: the reader's load of the epoch, its `exchange` of `state`, its load of the slot, the
// unlinking, the retirer's load of the epoch (the tag t), the advance from t to t + 1. The reader
// loaded the epoch before that advance, so it is pinned in an epoch of at most t. The scan before
// the advance from t + 1 to t + 2 comes later in S, so it sees the reader's state. Either the
// reader is still pinned, in an epoch other than t + 1, and the advance fails; or it has unpinned,
// and the release of the unpin orders all its accesses before the reclamation.
//
// Asymmetric pins (as in Desnoyers et al., "User-level implementations of read-copy update", 2012).
// The `exchange` of `state` is a fence: it prevents the loads under a pin from being executed
// before the pin is visible. It is most of the cost of a pin. A participant that has pinned often
// without retiring becomes asymmetric (`isAsymmetric`): its pin is a plain store followed by a
// barrier L that only the compiler observes. A thread whose scan finds an asymmetric participant
// executes a barrier H on every thread and then scans again. One of L and H comes first. For the
// advance from t + 1 to t + 2 above:
//  - if L comes first, the second scan sees the pin, or a later state, and then the reader has
//    unpinned;
//  - if H comes first, the reader's loads see everything that was unlinked before the advancer's
//    load of the epoch. That load returned t + 1, so it comes after the unlinking of X in S: the
//    reader does not find X.
// H before the load of the epoch would not be enough: between the two, X could be unlinked and the
// epoch could become t + 1. (`AsymmetricPinTests` tries all schedules of this order and of the
// wrong ones.)
//
// Only an `exchange` of `state` makes a participant asymmetric, and `state` itself records it. So
// if a scan reads a fenced `state`, any asymmetric pin that it misses follows an `exchange` that
// comes after the scan in S. The loads under that pin come after the scan too, and see everything
// that was unlinked before it. The store of an asymmetric pin has releasing ordering: a scan that
// reads this store has not read the previous unpin, and must still acquire the accesses under the
// previous pin.
//
// H is a system call that interrupts every core that runs a thread of the process. Three rules keep
// it rare. After a participant retires a node, its next pins are fenced. The interval between
// attempts to advance doubles, up to `longestAdvanceInterval`, after each advance that needed H;
// any other attempt resets it. And a participant skips an attempt if another one has advanced since
// its last attempt, unless that attempt failed. If the first scan already finds a blocking pin, the
// attempt fails without H.

/// A set of threads that share an epoch: the pins of each of them delay the reclamation of memory
/// that any of them retires.
///
/// Collections use `shared` by default. A separate domain prevents long pins, and tests, from
/// delaying other collections. A domain lives until every thread that used it has ended.
///
/// While no thread is pinned, at most participants × `bagCapacity` entries remain after one
/// `advance()`. While one thread stays pinned, everything retired since then remains, and
/// `telemetry.blockedBy` identifies the thread after the next failed advance. After its unpin, N
/// remaining entries are reclaimed within (7 × `bagCapacity` + 3 × N ÷ `bagCapacity`) ×
/// participants further retires. Each of them reclaims fewer than 3 × `bagCapacity` entries; only
/// the retire of a node of 16 KiB or more may reclaim all. Without calls of `advance()` and without
/// long pins, an entry remains for at most three intervals of each participant: 3 × `bagCapacity`
/// retires, or 3 × `longestAdvanceInterval` if other threads use asymmetric pins. Retiring a large
/// node counts as several retires.
///
/// A child process never reclaims the entries in unfilled bags of threads that the fork left
/// behind. It reclaims all other entries, as if those threads had ended.
public final class EpochDomain: Sendable {
  /// The domain that collections use by default.
  public static let shared = EpochDomain()
  static let firstEpoch: UInt64 = 2

  /// The way in which a pin becomes visible to a thread that advances the epoch.
  public enum Pinning: Sendable {
    /// A fenced pin: an atomic `exchange`. A pin costs the `exchange`, and an advance costs nothing
    /// extra.
    case exchanging
    /// Fenced pins at first; after more than `afterPins` pins without a retire, asymmetric pins,
    /// which are plain stores. An asymmetric pin costs almost nothing; an advance costs a system
    /// call (`membarrier`). The same as `exchanging` on systems without such a call, and under
    /// ThreadSanitizer, which does not model it.
    case asymmetric(afterPins: Int)

    /// The default: asymmetric after 32 pins.
    public static var standard: Pinning { .asymmetric(afterPins: 32) }
  }

  private let leadingPadding = CacheLinePadding()

  /// Only advances write it, and every pin reads it. It shares its cache lines only with constants.
  let epoch = Atomic<UInt64>(EpochDomain.firstEpoch)
  let participants = ParticipantList()
  /// Never reached if the domain has no asymmetric pins.
  let pinsUntilAsymmetric: Int

  /// The largest number of entries in a participant's own bag, and the number of retires between
  /// two attempts to advance. The interval grows after an advance that needed a barrier.
  public let bagCapacity: Int

  /// The largest number of retires between two attempts to advance.
  public let longestAdvanceInterval: Int

  /// The backlog above which a failed advance is reported, because a thread has been pinned too
  /// long.
  public let backlogLimit: Int
  let reportStall: @Sendable (EpochTelemetry) -> Void

  private let trailingPadding = CacheLinePadding()

  /// The nodes that wait for the releaser: `EpochDomain+Releasing.swift`.
  let waiting = WaitingList()
  /// 0, or a number of the process whose thread is the releaser.
  let releaser = Atomic<UInt64>(0)

  let failedAdvances = Atomic<Int>(0)
  /// The thread number of the participant that blocked the last advance; 0 if none did.
  let blocker = Atomic<UInt64>(0)

  /// Creates a domain.
  ///
  /// - Parameters:
  ///   - pinning: The way in which a pin becomes visible.
  ///   - bagCapacity: The capacity of a bag. Must be positive. The default is smaller under
  ///     ThreadSanitizer, so that its schedules contain more reclamation.
  ///   - backlogLimit: The number of retired entries above which a failed advance calls
  ///     `reportStall`.
  ///   - reportStall: Called by the retiring thread outside pins, at most once per `bagCapacity`
  ///     retires. Also called by a thread of the library, once for each body of `withValue` that
  ///     keeps nodes from being released for 100 ms. The default prints one line that names the
  ///     thread.
  public init(
    pinning: Pinning = .standard, bagCapacity: Int = Sanitizer.isThreadSanitizer ? 4 : 64,
    backlogLimit: Int = 1 << 24,
    reportStall: @escaping @Sendable (EpochTelemetry) -> Void = EpochDomain.printStall
  ) {
    guard bagCapacity > 0 else { fatalError("bagCapacity must be positive, got \(bagCapacity)") }
    self.bagCapacity = bagCapacity
    if case .asymmetric(let pins) = pinning, AsymmetricBarrier.isSupported {
      pinsUntilAsymmetric = pins
      longestAdvanceInterval = 4 * bagCapacity
    } else {
      pinsUntilAsymmetric = .max
      longestAdvanceInterval = bagCapacity
    }
    self.backlogLimit = backlogLimit
    self.reportStall = reportStall
  }

  deinit {
    noteLastRelease(of: self)
    // No thread is a participant any more: each retained the domain, and its release orders its
    // actions before this. Nor is there a releaser, which retained it too.
    reclaimWaiting()
    var next = participants.first
    while let participant = next {
      next = participant.next
      participant.destroy()
    }
  }

  // MARK: Pinning

  /// Runs `body` while the epoch is pinned; returns or rethrows its outcome.
  ///
  /// Nothing that `body` finds in a structure of this domain is reclaimed before it returns. Pins
  /// nest, and only the outermost one is visible to other threads. Run no user code inside: a long
  /// pin keeps everything that any thread retires. Leaving the outermost pin reclaims entries that
  /// are due.
  @inline(__always)
  public func pin<R: ~Copyable, F: Error>(_ body: () throws(F) -> R) throws(F) -> R {
    try pin(isLending: false, body)
  }

  /// Runs `body`, which lends a value to user code, as `pin(_:)` does. A pin that delays a release
  /// for long is reported only if it lends: a thread that is pinned otherwise is merely not
  /// running.
  @inline(__always)
  public func pinLending<R: ~Copyable, F: Error>(_ body: () throws(F) -> R) throws(F) -> R {
    try pin(isLending: true, body)
  }

  @inline(__always)
  private func pin<R: ~Copyable, F: Error>(
    isLending: Bool, _ body: () throws(F) -> R
  ) throws(F) -> R {
    let me = participantOfThisThread
    let state = me.ownState
    if !state.isPinned { enter(me, isAsymmetric: state.isAsymmetric, isLending: isLending) }
    defer { if !state.isPinned { leave(me) } }
    return try body()
  }

  // Generic, because the compiler inlines only generic functions into other modules.
  /// Runs `body` while the epoch is pinned, as `pin(_:)` does, if that takes the calling thread no
  /// more than two stores: if it pins asymmetrically, and is neither pinned nor inside
  /// `withoutQuickPins`. Returns nil if not.
  ///
  /// - Parameter body: Must call no user code, and nothing of the domain.
  @inline(__always)
  public func pinQuickly<R>(_ body: () -> R?) -> R? {
    guard let newest = ThreadSlot.participants.value else { return nil }
    let me = Participant(record: newest.assumingMemoryBound(to: ParticipantRecord.self))
    guard
      me.own.quickDomain == UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()),
      me.ownState == .asymmetricIdle
    else { return nil }
    enter(me, isAsymmetric: true, isLending: false)
    let result = body()
    unpin(me, to: .asymmetricIdle)
    return result
  }

  /// Runs `body` while `pinQuickly` returns nil on this thread.
  ///
  /// A collection calls its `update` bodies inside, so that its reads notice there that they are in
  /// a `CriticalSection`, without a check that every quick read would have to make.
  public func withoutQuickPins<R: ~Copyable, F: Error>(_ body: () throws(F) -> R) throws(F) -> R {
    let me = participantOfThisThread
    let quickDomain = me.own.quickDomain
    me.own.quickDomain = 0
    defer { me.own.quickDomain = quickDomain }
    return try body()
  }

  @inline(__always)
  private func enter(_ me: Participant, isAsymmetric: Bool, isLending: Bool) {
    // Sequentially consistent: an advance that this load misses comes later in S.
    let now = epoch.load(ordering: .sequentiallyConsistent)
    if isAsymmetric {
      // Releasing: a scan that reads this store acquires the accesses under earlier pins. Barriers
      // L (below) and H (in `step`) make the pin visible before the loads under it: see
      // "Asymmetric pins" above.
      me.record.pointee.state.store(
        PinState(pinnedIn: now, isAsymmetric: true, isLending: isLending).word,
        ordering: .releasing)
      AsymmetricBarrier.light()
    } else {
      enterFenced(me, now, isLending: isLending)
    }
    checkInvariants(of: me)
  }

  /// Makes a fenced pin visible. The first one after `pinsUntilAsymmetric` has reached 0 also makes
  /// the participant asymmetric.
  @inline(__always)
  private func enterFenced(_ me: Participant, _ now: UInt64, isLending: Bool) {
    // Not while work is due: `pinQuickly` would not do it.
    let isAsymmetric = me.own.pinsUntilAsymmetric == 0 && me.own.due.isEmpty
    if me.own.pinsUntilAsymmetric > 0 { me.own.pinsUntilAsymmetric &-= 1 }
    // An `exchange` rather than a store: on x86 the two cost the same when sequentially consistent.
    // Sequentially consistent, as are all loads of slots under a pin; pairs with the scan in
    // `step`:
    // - if this `exchange` comes first, the scan sees the pin and the epoch does not advance;
    // - if the scan comes first, the loads under this pin see everything that was unlinked before
    //   it.
    _ = me.record.pointee.state.exchange(
      PinState(pinnedIn: now, isAsymmetric: isAsymmetric, isLending: isLending).word,
      ordering: .sequentiallyConsistent)
  }

  @inline(__always)
  private func unpin(_ me: Participant, to unpinned: PinState) {
    // Keeps the retain of a copied value under the pin: the compiler would move a retain past a
    // store, even past a releasing one.
    AsymmetricBarrier.light()
    // Releasing: pairs with the scan in `step`. The reads under the pin happen before any
    // reclamation that follows from that scan.
    me.record.pointee.state.store(unpinned.word, ordering: .releasing)
  }

  @inline(__always)
  private func leave(_ me: Participant) {
    unpin(me, to: me.ownState.unpinned)
    if !me.own.due.isEmpty { doWhatIsDue(me) }
  }

  /// Does the work that was postponed during a pin: reclaims a bag or a large node, and reports a
  /// stalled epoch.
  @inline(never)
  func doWhatIsDue(_ me: Participant) {
    if me.own.due.contains(.advance) { advanceForLargeNode(me) }
    if me.own.due.contains(.collection) { collect(me, entries: bagCapacity) }
    if me.own.due.contains(.stallReport) {
      me.own.due.remove(.stallReport)
      reportStall(telemetry)
    }
  }

  // MARK: Retiring

  /// Retires a node: reclaims it when no pin can see it any more.
  ///
  /// The node must be unlinked already, by a sequentially consistent operation of the caller or by
  /// one that happened before the call.
  ///
  /// - Parameters:
  ///   - pointer: The node.
  ///   - type: The type whose `reclaim(_:)` frees the node.
  ///   - byteCount: The approximate size of the memory that the node keeps. Memory that the node
  ///     refers to does not count, unless the caller adds it. The epoch advances sooner for a large
  ///     node. For a node of 16 KiB or more, the calling thread advances the epoch as soon as it is
  ///     not pinned. If another thread's pin prevents that, the calling thread tries again at its
  ///     later unpins until it ends.
  /// - Complexity: amortized O(1). Outside a pin, a call may reclaim up to 3 × `bagCapacity`
  ///   earlier entries, and all that are reclaimable if a node of 16 KiB or more was retired.
  public func retire<T: Reclaimable>(
    _ pointer: UnsafeMutableRawPointer, as type: T.Type, byteCount: Int = 0
  ) {
    let me = participantOfThisThread
    // Sequentially consistent: comes after the unlinking in S (see the head of this file), so a
    // thread that pins in a later epoch than this one cannot have found the node.
    let tag = epoch.load(ordering: .sequentiallyConsistent)
    me.add(Retired(pointer: pointer, type: type), tag: tag)
    useFencedPins(me)
    if byteCount >= Self.bytesOfLargeNode { noteLargeNode(me) }
    me.own.weightUntilAdvance -= 1 + byteCount / Self.bytesPerExtraRetire
    if me.own.weightUntilAdvance <= 0 { advanceOpportunistically(me) }
    if !me.ownState.isPinned && !me.own.due.isEmpty { doWhatIsDue(me) }
  }

  /// Makes the participant's next pins fenced. A thread that retires often should not make every
  /// advance need a barrier.
  func useFencedPins(_ me: Participant) {
    me.own.pinsUntilAsymmetric = pinsUntilAsymmetric
    let state = me.ownState
    guard state.isAsymmetric else { return }
    // Releasing: a scan that reads this store acquires the accesses under earlier pins.
    me.record.pointee.state.store(state.fenced.word, ordering: .releasing)
  }

  /// The number of bytes that count as one more retire.
  private static var bytesPerExtraRetire: Int { 256 }

  /// The number of bytes from which a node does not wait for other retires.
  private static var bytesOfLargeNode: Int { 1 << 14 }
}
