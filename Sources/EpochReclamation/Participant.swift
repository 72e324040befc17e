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
    let tag = Defect.misfiledBag.isPlanted ? bag.tag + 1 : bag.tag
    withSealedBags(taggedLike: tag) { $0.push(bag) }
  }

  /// Reclaims what is in `bags`, which the caller owns; returns how many entries there were.
  func reclaim(_ bags: consuming BagChain) -> Int {
    own.isReclaiming = true
    defer { own.isReclaiming = false }
    var total = 0
    while let bag = bags.popFirst() {
      if Defect.bagRecycledTooSoon.isPlanted { recycle(bag) }
      let count = bag.reclaimAll()
      increment(record.pointee.reclaimedCount, by: count)
      total += count
      if !Defect.bagRecycledTooSoon.isPlanted { recycle(bag) }
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
