import Primitives

// The release of nodes that may run user code: a `deinit`.
//
// `retire` delays memory until the epoch allows it, which may take long and happens inside later
// calls of any thread. A `deinit` must not run there. So a node that may run one is *released*: in
// the call that removed it if no thread can see the node, and otherwise soon afterwards by a thread
// of the library, the *releaser*.
//
// Why a released node is seen by nobody. The caller has unlinked the node.
//  - In the call: a scan of all participants comes after the unlinking in S (see the head of
//    `EpochDomain.swift`). A reader that finds the node loaded a slot before the unlinking, so it
//    was pinned before the scan: the scan sees its pin, and the node waits; or a later state, whose
//    load acquires the reader's accesses. A scan that finds an asymmetric participant is repeated
//    after a barrier. If the barrier comes after the participant's own (L), the second scan sees
//    the pin; if it comes first, the loads under the pin see the unlinking.
//  - By the releaser: a bag of waiting nodes gets the epoch as its tag after the unlinking, as a
//    bag of retired nodes does, and the same argument applies.
//
// Invariants:
//  1. A waiting bag is in the list `waiting`, or belongs to the releaser.
//  2. A process has at most one releaser of a domain: the thread that changed `releaser` to the
//     word of this process, until that thread changes it back to 0.
//  3. If `waiting` has a bag and no thread is about to push or to start a releaser, there is a
//     releaser. For a thread pushes its bag before it loads `releaser`, and the releaser stores 0
//     before it looks at `waiting` for the last time; all four are sequentially consistent. So
//     either that thread sees the 0 and starts a releaser, or the releaser sees the bag and, if no
//     other thread was faster, goes on. If the system refuses a thread, and in the child of a fork,
//     bags wait until the next call of `release` starts one.
//  4. `reclaim` of a released node runs outside every pin of the domain and every `update` of its
//     thread.
//
// The releaser exists only while nodes wait, and for 20 ms after them: an idle process has no such
// thread. A child process starts its own; the bags that the parent's releaser had taken are never
// released there.

extension EpochDomain {
  /// Releases a node, whose `reclaim(_:)` may run user code: in this call if no thread can see it,
  /// otherwise on a thread of the library, as soon as every thread that was pinned at the call has
  /// unpinned.
  ///
  /// The node must be unlinked already, as for `retire`. A thread that calls this while it is
  /// pinned or inside an `update` leaves the release to the library's thread.
  ///
  /// - Parameters:
  ///   - pointer: The node.
  ///   - type: The type whose `reclaim(_:)` frees the node.
  /// - Complexity: O(participants). Costs a system call if other threads use asymmetric pins.
  public func release<T: Reclaimable>(_ pointer: UnsafeMutableRawPointer, as type: T.Type) {
    withUnsafePointer(to: Retired(pointer: pointer, type: type)) {
      release(UnsafeBufferPointer(start: $0, count: 1))
    }
  }

  /// Releases nodes as the function above does, with one look at the participants.
  public func release<T: Reclaimable>(_ pointers: [UnsafeMutableRawPointer], as type: T.Type) {
    if pointers.isEmpty { return }
    pointers.map { Retired(pointer: $0, type: type) }.withUnsafeBufferPointer(release)
  }

  private func release(_ nodes: UnsafeBufferPointer<Retired>) {
    // Left behind by a thread that could not be started, or by the parent of this process.
    if !waiting.isEmpty { startReleaser() }
    let me = participantOfThisThread
    guard mayRunUserCode(me) else {
      if me.own.collected == nil { return postpone(nodes) }
      return me.own.collected!.append(contentsOf: nodes)
    }
    guard isUnobserved(by: me) else { return postpone(nodes) }
    // A chain of nodes, each of which the next one's `deinit` releases, must not exhaust the stack.
    me.own.releaseDepth += 1
    for node in nodes { node.type.reclaim(node.pointer) }
    me.own.releaseDepth -= 1
  }

  /// Nodes that an operation could not release under its pins and locks.
  public struct Collected {
    fileprivate var nodes: [Retired] = []

    /// Creates an empty value.
    public init() {}
  }

  /// Runs `body`, a part of an operation that removes keys; what it releases and may not reclaim
  /// goes to `collected` instead of the library's thread.
  public func collectReleases<R, F: Error>(
    to collected: inout Collected, _ body: () throws(F) -> R
  ) throws(F) -> R {
    let me = participantOfThisThread
    // An operation inside another one, in the `==` of a key, leaves its nodes to that.
    if me.own.collected != nil { return try body() }
    me.own.collected = []
    defer {
      collected.nodes += me.own.collected!
      me.own.collected = nil
    }
    return try body()
  }

  /// Releases collected nodes, as `release(_:as:)` does.
  public func release(_ collected: Collected) {
    if !collected.nodes.isEmpty { collected.nodes.withUnsafeBufferPointer(release) }
  }

  /// Runs `body`, which releases an object; beyond a depth of such calls, `mayRunUserCode` is
  /// false.
  public func releasing(_ body: () -> Void) {
    let me = participantOfThisThread
    me.own.releaseDepth += 1
    body()
    me.own.releaseDepth -= 1
  }

  /// Takes all elements and releases them: in this call if it may run user code, otherwise on a
  /// thread of the library. The caller has no other reference to them, and gets an empty array.
  public func release<Element>(contentsOf elements: inout [Element]) {
    if elements.isEmpty { return }
    // An argument by value would leave a reference here, which could be the last one.
    let contents = Unmanaged.passRetained(Contents(taking: &elements))
    release(contents.toOpaque(), as: Contents<Element>.self)
  }

  /// Whether no thread can see what the caller has unlinked, if that can be decided at no great
  /// cost. False if the caller must not run user code.
  ///
  /// Needs no barrier and, while other threads are pinned or use asymmetric pins, looks at them
  /// only once in 64 calls.
  public var isQuiet: Bool {
    let me = participantOfThisThread
    guard mayRunUserCode(me) else { return false }
    if me.own.callsUntilScan > 0 {
      me.own.callsUntilScan -= 1
      return false
    }
    useFencedPins(me)
    var needsBarrier = false
    if findBlocker(of: nil, needsBarrier: &needsBarrier) == nil && !needsBarrier { return true }
    me.own.callsUntilScan = 63
    return false
  }

  /// Whether the calling thread may run user code: invariant 4.
  public var mayRunUserCode: Bool { mayRunUserCode(participantOfThisThread) }

  private func mayRunUserCode(_ me: Participant) -> Bool {
    !me.ownState.isPinned && !CriticalSection.isHeld && me.own.releaseDepth < 32
  }

  private func isUnobserved(by me: Participant) -> Bool {
    // This thread's own participant must not make the scan need a barrier.
    useFencedPins(me)
    var needsBarrier = false
    if findBlocker(of: nil, needsBarrier: &needsBarrier) != nil { return false }
    if !needsBarrier { return true }
    guard AsymmetricBarrier.heavy() else { return false }
    return findBlocker(of: nil, needsBarrier: &needsBarrier) == nil
  }

  // MARK: Waiting nodes

  /// Leaves nodes to the releaser.
  private func postpone(_ nodes: UnsafeBufferPointer<Retired>) {
    let bag = Bag(capacity: nodes.count)
    // Sequentially consistent: comes after the unlinking in S, as in `retire`.
    let tag = epoch.load(ordering: .sequentiallyConsistent)
    for node in nodes { bag.add(node, tag: tag) }
    waiting.push(bag)
    startReleaser()
  }

  /// Reclaims what still waits in a domain that no thread uses any more.
  func reclaimWaiting() {
    var bags = waiting.takeAll()
    while let bag = bags.popFirst() {
      _ = bag.reclaimAll()
      bag.deallocate()
    }
  }

  // MARK: The releaser

  /// Whether a thread of this process releases what waits.
  package var hasReleaser: Bool {
    // Relaxed: the caller needs no order.
    releaser.load(ordering: .relaxed) == ownWord
  }

  /// The word of `releaser` while a thread of this process is the releaser.
  private var ownWord: UInt64 { CurrentProcess.forkCount + 1 }

  private func startReleaser() {
    // Sequentially consistent, both: invariant 3.
    let word = releaser.load(ordering: .sequentiallyConsistent)
    guard word != ownWord,
      releaser.compareExchange(
        expected: word, desired: ownWord, ordering: .sequentiallyConsistent
      ).exchanged
    else { return }
    CurrentProcess.afterFork(Self.stayAfterFork)
    let domain = Unmanaged.passRetained(self)  // Released by the thread.
    let isStarted = BackgroundThread.start(domain.toOpaque()) { domain in
      Unmanaged<EpochDomain>.fromOpaque(domain!).takeRetainedValue().runReleaser()
    }
    if isStarted { return }
    domain.release()
    // Sequentially consistent: a later call tries again. Until then the bags wait.
    releaser.store(0, ordering: .sequentiallyConsistent)
  }

  /// Makes the calling thread the releaser for some rounds, unless there is one. What still waits
  /// then is left to a thread of the library.
  package func actAsReleaser(rounds: Int) {
    // Sequentially consistent, both: invariant 3. A thread that pushed a bag in between has seen a
    // releaser, and relies on the last look here.
    let (done, _) = releaser.compareExchange(
      expected: 0, desired: ownWord, ordering: .sequentiallyConsistent)
    guard done else { return }
    var held = WaitingBags()
    for _ in 0..<rounds {
      held.add(waiting.takeAll())
      _ = releaseDue(of: &held)
    }
    while let bag = held.popFirst() { waiting.push(bag) }
    releaser.store(0, ordering: .sequentiallyConsistent)
    if !waiting.isEmpty { startReleaser() }
  }

  /// Releases waiting nodes until there have been none for 20 ms.
  private func runReleaser() {
    var held = WaitingBags()
    repeat {
      var idle = 0
      while idle < Self.idleLooks {
        held.add(waiting.takeAll())
        if held.isEmpty {
          idle += 1
          BackgroundThread.sleep(microseconds: 1000)
        } else {
          idle = 0
          if releaseDue(of: &held) || held.isEmpty { continue }
          if held.isStalled(isLending) { reportStall(telemetry) }
          BackgroundThread.sleep(microseconds: held.hasReported ? 2000 : 200)
        }
      }
      // Sequentially consistent, all: invariant 3.
      releaser.store(0, ordering: .sequentiallyConsistent)
    } while !waiting.isEmpty
      && releaser.compareExchange(
        expected: 0, desired: ownWord, ordering: .sequentiallyConsistent
      ).exchanged
  }

  private static var idleLooks: Int { 20 }

  /// Advances the epoch once if the pins allow it, and reclaims the bags that it makes due; returns
  /// whether it advanced.
  private func releaseDue(of held: inout WaitingBags) -> Bool {
    var barriers = 0
    let hasAdvanced = step(barriers: &barriers)
    // Sequentially consistent: no participant can reach an entry whose tag is at most `now` - 2.
    let now = epoch.load(ordering: .sequentiallyConsistent)
    held.reclaimDue(at: now)
    return hasAdvanced
  }

  /// Whether the first participant found that blocks the epoch lends a value.
  private var isLending: Bool {
    // Relaxed, both: only a report depends on them.
    let now = epoch.load(ordering: .relaxed)
    var needsBarrier = false
    return findBlocker(of: now, needsBarrier: &needsBarrier).map {
      PinState(word: $0.record.pointee.state.load(ordering: .relaxed)).isLending
    } ?? false
  }
}

/// The bags that wait for the releaser: any thread pushes one, and the releaser takes all.
struct WaitingList: ~Copyable {
  private let newest = Atomic<UnsafeMutableRawPointer?>(nil)

  /// Whether no bag waits.
  ///
  /// Sequentially consistent: invariant 3.
  var isEmpty: Bool { newest.load(ordering: .sequentiallyConsistent) == nil }

  borrowing func push(_ bag: Bag) {
    // Relaxed: nothing is read through it, and the compare-exchange below checks that it is
    // current. No ABA: the releaser takes the whole list.
    var first = newest.load(ordering: .relaxed)
    while true {
      bag.next = first.map(Bag.init(memory:))
      // Sequentially consistent: invariant 3; also publishes the bag to `takeAll`. On failure
      // relaxed: a guess, as above.
      let (done, current) = newest.compareExchange(
        expected: first, desired: bag.address, successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed)
      if done { return }
      first = current
    }
  }

  /// Takes all bags and leaves the list empty.
  borrowing func takeAll() -> BagChain {
    if isEmpty { return BagChain() }
    // Sequentially consistent: acquires the bags, which `push` published.
    return BagChain(
      from: newest.exchange(nil, ordering: .sequentiallyConsistent).map(Bag.init(memory:)))
  }
}

// @unchecked: the head is atomic, and a bag belongs to the thread that takes it.
extension WaitingList: @unchecked Sendable {}

/// The bags of the releaser.
private struct WaitingBags {
  private var bags = BagChain()
  /// The epoch in which no bag was due; nil if one has been added since.
  private var epochWithoutDue: UInt64?
  /// When the releaser began to wait for a body of `withValue`; nil if it does not.
  private var start: ContinuousClock.Instant?
  private(set) var hasReported = false

  var isEmpty: Bool { bags.isEmpty }

  mutating func popFirst() -> Bag? { bags.popFirst() }

  mutating func add(_ others: BagChain) {
    var others = others
    if !others.isEmpty { epochWithoutDue = nil }
    while let bag = others.popFirst() { bags.prepend(bag) }
  }

  /// Reclaims the bags that are reclaimable in the epoch `now`.
  mutating func reclaimDue(at now: UInt64) {
    // A body that lasts long may keep a million bags.
    if epochWithoutDue == now { return }
    epochWithoutDue = now
    var rest = BagChain()
    while let bag = bags.popFirst() {
      if bag.isReclaimable(at: now) {
        _ = bag.reclaimAll()
        bag.deallocate()
        start = nil
        hasReported = false
      } else {
        rest.prepend(bag)
      }
    }
    bags = rest
  }

  /// Whether a body of `withValue` has kept bags from being due for 100 ms; true only once for one
  /// wait.
  mutating func isStalled(_ isLending: Bool) -> Bool {
    guard isLending, !hasReported, !ManagedScheduler.isCompiledIn else { return false }
    let now = ContinuousClock.now
    guard let start else {
      start = now
      return false
    }
    hasReported = now - start >= .milliseconds(100)
    return hasReported
  }
}

/// The elements that `release(contentsOf:)` releases.
private final class Contents<Element>: Reclaimable {
  private var elements: [Element] = []

  init(taking elements: inout [Element]) { swap(&self.elements, &elements) }

  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    Unmanaged<Contents>.fromOpaque(pointer).release()
  }
}
