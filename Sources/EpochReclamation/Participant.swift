import Primitives

/// One thread's part in one domain.
struct Participant: Equatable {
  let record: UnsafeMutablePointer<ParticipantRecord>

  /// A new record, alone on its cache lines.
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

  /// What the owner alone may touch; in place.
  var own: ParticipantRecord.Own {
    get { ownMemory.reading().pointee }
    nonmutating _modify { yield &ownMemory.writing().pointee }
  }

  private var ownMemory: UnsafeMutablePointer<ParticipantRecord.Own> {
    (UnsafeMutableRawPointer(record) + Self.ownOffset)
      .assumingMemoryBound(to: ParticipantRecord.Own.self)
  }

  /// Both types are made of words.
  private static var ownOffset: Int { MemoryLayout<ParticipantRecord>.stride }

  /// For the owner only.
  var ownState: PinState {
    // Relaxed: the owner alone writes it.
    PinState(word: record.pointee.state.load(ordering: .relaxed))
  }

  /// Visits the list of full bags for tags that equal `tag` modulo 3.
  func withSealedBags<R>(taggedLike tag: UInt64, _ body: (borrowing SealedBags) -> R) -> R {
    switch tag % 3 {
    case 0: body(record.pointee.sealed0)
    case 1: body(record.pointee.sealed1)
    default: body(record.pointee.sealed2)
    }
  }

  /// Notes that `entry` was retired in the epoch `tag`.
  func add(_ entry: Retired, tag: UInt64) {
    if let bag = own.bag, bag.count == record.pointee.bagCapacity { sealBag() }
    let bag = own.bag ?? takeEmptyBag()
    own.bag = bag
    bag.add(entry, tag: tag)
    increment(record.pointee.retiredCount, by: 1)
  }

  /// Moves the bag in use, full or not, to where every participant can take it.
  func sealBag() {
    guard let bag = own.bag else { return }
    own.bag = nil
    withSealedBags(taggedLike: bag.tag) { $0.push(bag) }
  }

  /// Reclaims what is in `bags`, which the caller owns; returns how many entries there were.
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

  /// Forgets what the last owner, which a fork left behind, had to itself.
  func startAnew() {
    let domain = own.domain
    ownMemory.writing().initialize(to: ParticipantRecord.Own(domain: domain.takeUnretainedValue()))
    domain.release()  // What that owner retained.
  }

  /// Ends the life of a record that nobody uses any more, and of everything in it.
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

  /// Relaxed, and no read-modify-write: only the owner writes, and no reader wants order from a count.
  private func increment(_ counter: borrowing Atomic<Int>, by amount: Int) {
    counter.store(counter.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }
}

/// The pin of a participant in one word, as the thread that advances the epoch sees it.
struct PinState: Equatable {
  let word: UInt64

  init(word: UInt64) {
    self.word = word
  }

  /// A pin in `epoch`.
  init(pinnedIn epoch: UInt64, isQuiet: Bool) {
    word = epoch << 2 | (isQuiet ? 3 : 1)
  }

  static var idle: PinState { PinState(word: 0) }

  var isPinned: Bool { word & 1 != 0 }

  /// Pins are announced by mere stores: an advance must make a barrier before it believes what it sees.
  var isQuiet: Bool { word & 2 != 0 }

  /// Of the pin.
  var epoch: UInt64 { word >> 2 }

  /// Without the pin.
  var unpinned: PinState { PinState(word: word & 2) }

  /// With the next pin to be announced by an exchange.
  var loud: PinState { PinState(word: word & ~2) }
}

/// The memory of one participant: linked into its domain once, reused when its thread has ended.
///
/// Everything in the record that threads share is atomic. `Own`, which only the owner accesses, follows the
/// record in memory and is no stored property of it: Swift's exclusivity and ThreadSanitizer treat a write
/// to a stored property as a write to the whole.
///
/// The first 64 bytes hold what an advance reads of every participant and what rarely changes. `state` and
/// everything else that a pin needs share one cache line behind them.
struct ParticipantRecord: ~Copyable {
  /// Does not change once the record is in the domain's list. First: see `ParticipantList`.
  var next: Participant?
  let bagCapacity: Int
  let isInUse = Atomic<Bool>(true)
  let threadNumber: Atomic<UInt64>
  /// `CurrentProcess.forkCount` when the owner began to take part. Another one is that of a thread which
  /// a fork left behind: it never goes on.
  let forkCount: Atomic<UInt64>

  // Full bags by tag modulo 3, so that those which an advance makes reclaimable stand in one list.
  let sealed0 = SealedBags()
  let sealed1 = SealedBags()
  let sealed2 = SealedBags()

  private let padding = CacheLinePadding()

  /// A `PinState`: the owner's pin, and whether it is quiet.
  let state = Atomic<UInt64>(0)

  // Written by the owner alone, read by telemetry.
  let retiredCount = Atomic<Int>(0)
  let reclaimedCount = Atomic<Int>(0)

  struct Own {
    /// Retained while the record is in use: a domain lives as long as a thread takes part in it.
    let domain: Unmanaged<EpochDomain>
    var due: Due = []
    /// How many more pins by exchange, without a retire between, until the participant becomes quiet.
    var pinsUntilQuiet: Int
    var nextOfThread: Participant?
    var bag: Bag?
    var spareBag: Bag?
    /// The weight of what is retired between two attempts to advance, and how much of it is left.
    var advanceInterval: Int
    var weightUntilAdvance: Int
    /// The newest epoch that this participant saw when it attempted to advance.
    var epochOfLastAttempt: UInt64
    var hasFailedToAdvance = false
    var isReclaiming = false

    init(domain: EpochDomain) {
      self.domain = .passUnretained(domain)
      advanceInterval = domain.bagCapacity
      weightUntilAdvance = domain.bagCapacity
      pinsUntilQuiet = domain.pinsUntilQuiet
      // Relaxed: a guess, see `EpochDomain.advanceByTheWay`.
      epochOfLastAttempt = domain.epoch.load(ordering: .relaxed)
    }
  }

  /// What a participant has to do outside its pins; empty nearly always.
  struct Due: OptionSet {
    let rawValue: UInt8
    static var collection: Due { Due(rawValue: 1) }
    static var stallReport: Due { Due(rawValue: 2) }
  }

  init(bagCapacity: Int) {
    self.bagCapacity = bagCapacity
    threadNumber = Atomic(CurrentThread.number)
    forkCount = Atomic(CurrentProcess.forkCount)
  }
}

/// A kind of memory that can be retired.
///
/// The way to reclaim it is a static requirement, not a closure, so that a retired entry is three words
/// without an allocation.
public protocol Reclaimable {
  /// Deinitializes the memory at `pointer` and frees it.
  ///
  /// Called once for each retired pointer, by any thread, when no participant can see it any more. It
  /// may release user objects, whose `deinit` may use any collection.
  static func reclaim(_ pointer: UnsafeMutableRawPointer)
}

/// A pointer that is out of its structure, and how to reclaim it.
struct Retired {
  let pointer: UnsafeMutableRawPointer
  let type: any Reclaimable.Type
}

/// Retired pointers that become reclaimable together: two epochs after the last of them was retired.
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

  /// An empty bag with room for `capacity` entries.
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

  /// Whether no participant can see any of the entries when the epoch is `now`.
  func isReclaimable(at now: UInt64) -> Bool {
    tag + 2 <= now
  }

  func add(_ entry: Retired, tag: UInt64) {
    entries.advanced(by: count).initialize(to: entry)
    let header = header.writing()
    header.pointee.count += 1
    header.pointee.tag = tag
  }

  /// Reclaims every entry; returns how many there were, and leaves the bag empty.
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

  /// Both types are made of words.
  private static var entriesOffset: Int { MemoryLayout<Header>.stride }
}

/// A list of bags, which the holder of the value owns.
struct BagChain {
  private(set) var first: Bag?
  private var last: Bag?

  init() {}

  /// Takes over `first` and all bags behind it, the last of which need not be known.
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

  /// Puts `others` behind this chain, which `prepend` alone has filled.
  mutating func append(_ others: BagChain) {
    if let last {
      last.next = others.first
    } else {
      first = others.first
    }
  }
}

/// The full bags of one participant, newest first: the owner pushes one, any thread takes all.
///
/// A compare-exchange on a list's head suffers from ABA only if a head that was taken can return. Here only
/// the owner pushes, so between its load and its compare-exchange the head stays or becomes nil.
struct SealedBags: ~Copyable {
  private let head = Atomic<UnsafeMutableRawPointer?>(nil)

  /// For the owner only.
  borrowing func push(_ bag: Bag) {
    // Relaxed: nothing is read through it; the exchange below checks that it still holds.
    let newest = head.load(ordering: .relaxed)
    bag.next = newest.map(Bag.init(memory:))
    // Releasing: pairs with the acquiring exchange in `takeAll`, which hands the bag's contents over.
    // Failing, it reads nothing that is used.
    let (done, _) = head.compareExchange(
      expected: newest, desired: bag.address, successOrdering: .releasing,
      failureOrdering: .relaxed)
    if done { return }
    // A taker emptied the list, and nobody but us could fill it again.
    bag.next = nil
    putBack(bag)
  }

  /// Fills the list, which must be empty, with `first` and the bags behind it; for the owner only.
  borrowing func putBack(_ first: Bag) {
    // Releasing: pairs as in `push`. No exchange, for takers leave an empty list alone.
    head.store(first.address, ordering: .releasing)
  }

  /// The newest bag, its elders behind it; the list is then empty.
  borrowing func takeAll() -> BagChain {
    // Relaxed: only spares the exchange, and its write to the owner's cache line, when there is nothing.
    guard head.load(ordering: .relaxed) != nil else { return BagChain() }
    // Acquiring: pairs with the releasing store of whoever pushed.
    return BagChain(from: head.exchange(nil, ordering: .acquiring).map(Bag.init(memory:)))
  }
}
