import Primitives

/// Full bags of one participant, newest first: its owner pushes, anyone takes all.
///
/// A compare-and-exchange on a list's head is open to ABA only when a head that was taken can come back.
/// Here only the owner pushes, so between its load and its exchange the head either stays or becomes nil.
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
    if Defect.bagsTakenTwice.isPlanted {
      defer { head.store(nil, ordering: .relaxed) }
      return BagChain(from: head.load(ordering: .acquiring).map(Bag.init(memory:)))
    }
    // Acquiring: pairs with the releasing store of whoever pushed.
    return BagChain(from: head.exchange(nil, ordering: .acquiring).map(Bag.init(memory:)))
  }
}
