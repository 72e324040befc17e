import Primitives

/// A thread's membership in a domain.
struct Participant: Equatable {
  let record: UnsafeMutablePointer<ParticipantRecord>

  /// Creates a record that shares no cache line with other data.
  init(in domain: EpochDomain) {
    let memory = NodeMemory.allocateApart(
      byteCount: Self.ownOffset + MemoryLayout<ParticipantRecord.Own>.stride)
    record = memory.bindMemory(to: ParticipantRecord.self, capacity: 1)
    record.initialize(to: ParticipantRecord(bagCapacity: domain.bagCapacity))
    (memory + Self.ownOffset).bindMemory(to: ParticipantRecord.Own.self, capacity: 1).writing()
      .initialize(to: ParticipantRecord.Own(domain: domain))
  }

  init(record: UnsafeMutablePointer<ParticipantRecord>) {
    self.record = record
  }

  /// The fields that only the owner may access, in place.
  var own: ParticipantRecord.Own {
    get { ownMemory.reading().pointee }
    nonmutating _modify { yield &ownMemory.writing().pointee }
  }

  private var ownMemory: UnsafeMutablePointer<ParticipantRecord.Own> {
    (UnsafeMutableRawPointer(record) + Self.ownOffset)
      .assumingMemoryBound(to: ParticipantRecord.Own.self)
  }

  /// Both types consist of words, so no alignment gap is needed.
  private static var ownOffset: Int { MemoryLayout<ParticipantRecord>.stride }

  /// The owner's pin. Only the owner may read it.
  var ownState: PinState {
    // Relaxed: only the owner writes it.
    PinState(word: record.pointee.state.load(ordering: .relaxed))
  }

  /// Calls `body` with the list of sealed bags whose tags equal `tag` modulo 3.
  func withSealedBags<R>(taggedLike tag: UInt64, _ body: (borrowing SealedBags) -> R) -> R {
    switch tag % 3 {
    case 0: body(record.pointee.sealed0)
    case 1: body(record.pointee.sealed1)
    default: body(record.pointee.sealed2)
    }
  }

  /// Adds an entry that was retired in the epoch `tag` to the owner's bag.
  func add(_ entry: Retired, tag: UInt64) {
    if let bag = own.bag, bag.count == record.pointee.bagCapacity { sealBag() }
    let bag = own.bag ?? takeEmptyBag()
    own.bag = bag
    bag.add(entry, tag: tag)
    increment(record.pointee.retiredCount, by: 1)
  }

  /// Puts the current bag, full or not, into the list from which every participant may take it.
  func sealBag() {
    guard let bag = own.bag else { return }
    own.bag = nil
    withSealedBags(taggedLike: bag.tag) { $0.push(bag) }
  }

  /// Reclaims the entries of `bags`, which the caller owns; returns the number of entries.
  func reclaim(_ bags: consuming BagChain) -> Int {
    own.isReclaiming = true
    defer { own.isReclaiming = false }
    var total = 0
    while let bag = bags.popFirst() {
      let count = bag.reclaimAll()
      increment(record.pointee.reclaimedCount, by: count)
      total += count
      recycle(bag)
    }
    return total
  }

  /// Resets the owner's fields, whose last owner a fork left behind.
  func resetOwn() {
    let domain = own.domain
    ownMemory.writing().initialize(to: ParticipantRecord.Own(domain: domain.takeUnretainedValue()))
    domain.release()  // Balances the last owner's retain.
  }

  /// Frees a record that no thread uses any more, with everything in it.
  func destroy() {
    for tag in 0..<3 as Range<UInt64> {
      var bags = withSealedBags(taggedLike: tag) { $0.takeAll() }
      while let bag = bags.popFirst() {
        _ = bag.reclaimAll()
        bag.deallocate()
      }
    }
    own.spareBag?.deallocate()
    ownMemory.deinitialize(count: 1)
    record.deinitialize(count: 1)
    NodeMemory.deallocate(record)
  }

  private func takeEmptyBag() -> Bag {
    defer { own.spareBag = nil }
    return own.spareBag ?? Bag(capacity: record.pointee.bagCapacity)
  }

  private func recycle(_ bag: Bag) {
    if own.spareBag == nil {
      own.spareBag = bag
    } else {
      bag.deallocate()
    }
  }

  /// Relaxed, and no read-modify-write: only the owner writes, and readers need no order from a
  /// counter.
  private func increment(_ counter: borrowing Atomic<Int>, by amount: Int) {
    counter.store(counter.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }
}

/// The pin of a participant in one word, as a thread that advances the epoch sees it.
struct PinState: Equatable {
  let word: UInt64

  init(word: UInt64) {
    self.word = word
  }

  /// Creates the state of a pin in `epoch`.
  init(pinnedIn epoch: UInt64, isAsymmetric: Bool, isLending: Bool) {
    word = epoch << 2 | (isAsymmetric ? 3 : 1) | (isLending ? Self.lending : 0)
  }

  private static var lending: UInt64 { 1 << 63 }

  /// Whether user code runs under the pin.
  var isLending: Bool { word & Self.lending != 0 }

  static var idle: PinState { PinState(word: 0) }

  /// The state of a participant that is not pinned and pins asymmetrically.
  static var asymmetricIdle: PinState { PinState(word: 2) }

  var isPinned: Bool { word & 1 != 0 }

  /// Whether the participant pins asymmetrically, by plain stores: a scan needs a barrier before it
  /// can rely on what it reads.
  var isAsymmetric: Bool { word & 2 != 0 }

  /// The epoch of the pin.
  var epoch: UInt64 { (word & ~Self.lending) >> 2 }

  /// The state without the pin.
  var unpinned: PinState { PinState(word: word & 2) }

  /// The state with a fenced next pin.
  var fenced: PinState { PinState(word: word & ~2) }
}

/// The memory of one participant. Its domain links it once and reuses it when its thread has ended.
///
/// All fields of the record that threads share are atomic. `Own`, which only the owner accesses,
/// follows the record in memory and is not a stored property of it: Swift's exclusivity checks and
/// ThreadSanitizer treat a write to a stored property as a write to the whole value.
///
/// ```
/// byte   0  next, bagCapacity, isInUse, threadNumber, forkCount, sealed0, sealed1, sealed2
/// byte  64  padding
/// byte 192  state, retiredCount, reclaimedCount | Own: domain, quickDomain, due, ...
/// ```
///
/// The first cache line holds fields that rarely change, and the lists that a collection reads of
/// every participant. The line at byte 192 holds the fields that a pin needs: `state`, which an
/// advance also reads, and the first fields of `Own`.
struct ParticipantRecord: ~Copyable {
  /// Constant once the record is in the domain's list. The first field: see `ParticipantList`.
  var next: Participant?
  let bagCapacity: Int
  let isInUse = Atomic<Bool>(true)
  let threadNumber: Atomic<UInt64>
  /// `CurrentProcess.forkCount` when the owner registered. Another value marks a thread that a fork
  /// left behind and that never continues.
  let forkCount: Atomic<UInt64>

  // Sealed bags by tag modulo 3, so that one list holds the bags that an advance makes reclaimable.
  let sealed0 = SealedBags()
  let sealed1 = SealedBags()
  let sealed2 = SealedBags()

  private let padding = CacheLinePadding()

  /// A `PinState`.
  let state = Atomic<UInt64>(0)

  // Only the owner writes them; telemetry reads them.
  let retiredCount = Atomic<Int>(0)
  let reclaimedCount = Atomic<Int>(0)

  struct Own {
    /// Retained while the record is in use: a domain lives as long as a thread is a participant.
    let domain: Unmanaged<EpochDomain>
    /// The address of the domain; 0 while the owner is inside `withoutQuickPins`.
    var quickDomain: UInt
    var due: Due = []
    /// The number of fenced pins, without a retire between them, before the pin that makes the
    /// participant asymmetric.
    var pinsUntilAsymmetric: Int
    var nextOfThread: Participant?
    var bag: Bag?
    var spareBag: Bag?
    /// The weight of the retires between two attempts to advance, and the remaining weight.
    var advanceInterval: Int
    var weightUntilAdvance: Int
    /// The newest epoch that this participant saw when it last attempted to advance.
    var epochOfLastAttempt: UInt64
    var hasFailedToAdvance = false
    /// The number of unpins until the owner tries again to reclaim a large node.
    var unpinsUntilAdvance = 0
    var isReclaiming = false
    /// The number of calls of `release` on the stack of the owner that reclaim nodes.
    var releaseDepth = 0
    /// The nodes that `collectReleases` has collected so far; nil outside.
    var collected: [Retired]?
    /// The number of calls of `isQuiet` until the next scan.
    var callsUntilScan = 0

    init(domain: EpochDomain) {
      self.domain = .passUnretained(domain)
      quickDomain = UInt(bitPattern: self.domain.toOpaque())
      advanceInterval = domain.bagCapacity
      weightUntilAdvance = domain.bagCapacity
      pinsUntilAsymmetric = domain.pinsUntilAsymmetric
      // Relaxed: a heuristic, see `EpochDomain.advanceOpportunistically`.
      epochOfLastAttempt = domain.epoch.load(ordering: .relaxed)
    }
  }

  /// Work that a participant has postponed until it is not pinned; nearly always empty.
  struct Due: OptionSet {
    let rawValue: UInt8
    static var collection: Due { Due(rawValue: 1) }
    static var stallReport: Due { Due(rawValue: 2) }
    static var advance: Due { Due(rawValue: 4) }
  }

  init(bagCapacity: Int) {
    self.bagCapacity = bagCapacity
    threadNumber = Atomic(CurrentThread.number)
    forkCount = Atomic(CurrentProcess.forkCount)
  }
}

/// A type whose memory can be retired.
///
/// Reclaiming is a static requirement rather than a closure, so that a retired entry is three words
/// without an allocation.
public protocol Reclaimable {
  /// Deinitializes the memory at `pointer` and frees it.
  ///
  /// A domain calls it once for each pointer that was retired or released, on any thread, when no
  /// participant can see the pointer any more. Only for a released pointer may it run user code: a
  /// `deinit`, which may use any collection.
  ///
  /// - Parameter pointer: The pointer that was retired.
  static func reclaim(_ pointer: UnsafeMutableRawPointer)
}

/// An unlinked pointer, with the type that reclaims it.
struct Retired {
  let pointer: UnsafeMutableRawPointer
  let type: any Reclaimable.Type
}

/// Retired pointers that become reclaimable together: two epochs after the last of them was
/// retired.
///
/// One allocation: the header, then the entries. A bag has one owner at any time: a field of a
/// participant, one sealed list, or the thread that took it from there.
struct Bag: Equatable {
  private struct Header {
    var tag: UInt64 = 0
    var count = 0
    var next: UnsafeMutableRawPointer?
  }

  private let memory: UnsafeMutableRawPointer

  init(memory: UnsafeMutableRawPointer) {
    self.memory = memory
  }

  /// Creates an empty bag with room for `capacity` entries.
  init(capacity: Int) {
    memory = NodeMemory.allocate(
      byteCount: Self.entriesOffset + capacity * MemoryLayout<Retired>.stride,
      alignment: MemoryLayout<Retired>.alignment)
    memory.bindMemory(to: Header.self, capacity: 1).writing().initialize(to: Header())
  }

  func deallocate() {
    NodeMemory.deallocate(memory)
  }

  var address: UnsafeMutableRawPointer { memory }
  var count: Int { header.reading().pointee.count }

  /// The highest epoch in which an entry was retired.
  var tag: UInt64 { header.reading().pointee.tag }

  var next: Bag? {
    get { header.reading().pointee.next.map(Bag.init(memory:)) }
    nonmutating set { header.writing().pointee.next = newValue?.memory }
  }

  /// Returns whether no participant can see any entry when the epoch is `now`.
  func isReclaimable(at now: UInt64) -> Bool {
    tag + 2 <= now
  }

  func add(_ entry: Retired, tag: UInt64) {
    entries.advanced(by: count).initialize(to: entry)
    let header = header.writing()
    header.pointee.count += 1
    header.pointee.tag = tag
  }

  /// Reclaims every entry and leaves the bag empty; returns the number of entries.
  func reclaimAll() -> Int {
    let count = count
    for index in 0..<count {
      let entry = entries[index]
      entry.type.reclaim(entry.pointer)
    }
    header.writing().pointee = Header()
    return count
  }

  private var header: UnsafeMutablePointer<Header> {
    memory.assumingMemoryBound(to: Header.self)
  }

  private var entries: UnsafeMutablePointer<Retired> {
    memory.advanced(by: Self.entriesOffset).assumingMemoryBound(to: Retired.self)
  }

  /// Both types consist of words, so no alignment gap is needed.
  private static var entriesOffset: Int { MemoryLayout<Header>.stride }
}

/// A list of bags that belongs to the holder of the value.
struct BagChain {
  private(set) var first: Bag?
  private var last: Bag?

  init() {}

  /// Creates a chain of `first` and the bags that follow it. The last bag stays unknown.
  init(from first: Bag?) {
    self.first = first
  }

  var isEmpty: Bool { first == nil }

  mutating func prepend(_ bag: Bag) {
    bag.next = first
    first = bag
    last = last ?? bag
  }

  mutating func popFirst() -> Bag? {
    guard let bag = first else { return nil }
    first = bag.next
    bag.next = nil
    return bag
  }

  /// Appends `others` to this chain, which only `prepend` has filled.
  mutating func append(_ others: BagChain) {
    if let last {
      last.next = others.first
    } else {
      first = others.first
    }
  }
}

/// Sealed bags of one participant, full or not: the owner pushes one, any thread takes all.
///
/// A compare-exchange on the head of a list is prone to ABA only if a head that was taken can
/// return. Here only the owner pushes, so between its load and its compare-exchange the head stays
/// the same or becomes nil.
struct SealedBags: ~Copyable {
  private let head = Atomic<UnsafeMutableRawPointer?>(nil)

  /// Adds a bag. Only the owner may call it.
  borrowing func push(_ bag: Bag) {
    // Relaxed: nothing is read through it, and the compare-exchange below checks that it is
    // current.
    let newest = head.load(ordering: .relaxed)
    bag.next = newest.map(Bag.init(memory:))
    // Releasing: pairs with the acquiring `exchange` in `takeAll`, which hands the bag's contents
    // over. On failure relaxed: the result is not used.
    let (done, _) = head.compareExchange(
      expected: newest, desired: bag.address, successOrdering: .releasing,
      failureOrdering: .relaxed)
    if done { return }
    // Another thread took the list, and only the owner could fill it again.
    bag.next = nil
    putBack(bag)
  }

  /// Fills the list, which must be empty, with `first` and the bags that follow it. Only the owner
  /// may call it.
  borrowing func putBack(_ first: Bag) {
    // Releasing: pairs as in `push`. A store is enough, because takers leave an empty list alone.
    head.store(first.address, ordering: .releasing)
  }

  /// Takes all bags and leaves the list empty.
  borrowing func takeAll() -> BagChain {
    // Relaxed: it only avoids the `exchange`, and its write to the owner's cache line, for an empty
    // list.
    guard head.load(ordering: .relaxed) != nil else { return BagChain() }
    // Acquiring: pairs with the releasing store in `push` or `putBack`.
    return BagChain(from: head.exchange(nil, ordering: .acquiring).map(Bag.init(memory:)))
  }
}
