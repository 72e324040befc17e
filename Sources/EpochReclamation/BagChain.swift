/// Bags linked one behind the other; owned by whoever holds the value.
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
