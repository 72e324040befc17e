import Primitives

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
