/// A set of objects, told apart by identity, that does not keep them alive.
public typealias WeakSet<Element> = KeyedWeakSet<IdentityKeying<Element>>

/// A set of objects, told apart by `==`, that does not keep them alive.
///
/// `insert` returns the element that is there: an interner of equal objects.
public typealias WeakEqualitySet<Element: Hashable> = KeyedWeakSet<EqualityKeying<Element>>

/// A set that does not keep its elements alive; `WeakSet` and `WeakEqualitySet` are its names.
///
/// ```swift
/// var listeners: WeakSet<Listener> = []
/// listeners.insert(listener)
/// for listener in listeners { listener.hear() }
/// ```
///
/// Elements are of a class, an actor, `AnyObject` or a class-bound protocol type; anything else traps.
/// Not thread-safe, like any other value; `AtomicWeakSet` is.
///
/// A dead element is in no answer. Its entry leaves with one of the next n + 1 insertions and removals, n
/// being the most entries there were meanwhile, and `compact()` removes it at once. After any mutation there are at most
/// 2 × live + 64 entries, amortised. As with a standard collection, no `deinit` may use the very variable
/// that a mutation is changing: an element may die in one, if another thread lets go of it then.
public struct KeyedWeakSet<Keying: WeakKeying> {
  public typealias Element = Keying.Object
  typealias Table = WeakKeyTable<Keying, WeakSetMark>

  private var entries = Table()

  public init() {
    ReferenceLayout.require(Element.self)
  }

  /// A set of the elements of `elements`.
  public init(_ elements: some Sequence<Element>) {
    self.init()
    for element in elements { insert(element) }
  }

  /// The living elements, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var all: [Element] { entries.promoteAll().map(\.key) }

  /// The number of living elements.
  ///
  /// - Complexity: O(*n*): it has to ask each object whether it lives.
  public var count: Int {
    var discards = Discards<Table.Entry>()
    return count(discards: &discards)
  }

  /// Whether no element lives.
  ///
  /// - Complexity: O(*n*).
  public var isEmpty: Bool { count == 0 }

  /// The number of stored entries, those of objects that have died unnoticed included.
  ///
  /// - Complexity: O(1).
  public var entryCount: Int { entries.table.count }

  /// Whether there is a living element that is the same.
  ///
  /// - Complexity: O(1) on average.
  public func contains(_ element: Element) -> Bool {
    var discards = Discards<Table.Entry>()
    return contains(element, discards: &discards)
  }

  /// Adds `element` unless the same one is there; returns the one that is there now.
  ///
  /// - Complexity: O(1) amortised.
  @discardableResult
  public mutating func insert(
    _ element: Element
  ) -> (inserted: Bool, memberAfterInsert: Element) {
    var discards = Discards<Table.Entry>()
    let (isNew, position) = insert(element, discards: &discards)
    let member = isNew || Keying.isByIdentity ? element : entries.key(at: position)
    return (isNew, member!)  // Lives: `discards` holds it.
  }

  /// Removes the element that is the same; returns whether there was one.
  ///
  /// - Complexity: O(1) on average.
  @discardableResult
  public mutating func remove(_ element: Element) -> Bool {
    var discards = Discards<Table.Entry>()
    return remove(element, discards: &discards)
  }

  /// Removes every element.
  public mutating func removeAll() { entries = Table() }

  /// Removes the entries whose object is gone; returns how many.
  ///
  /// - Complexity: O(*n*).
  @discardableResult
  public mutating func compact() -> Int {
    var discards = Discards<Table.Entry>()
    return compact(discards: &discards)
  }
}

// For those who hold a lock: what may die goes to `discards`.
extension KeyedWeakSet {
  func contains(_ element: Element, discards: inout Discards<Table.Entry>) -> Bool {
    entries.position(of: element, discards: &discards) != nil
  }

  mutating func insert(
    _ element: Element, discards: inout Discards<Table.Entry>
  ) -> (isNew: Bool, position: Int) {
    entries.insert(element, value: WeakSetMark(), discards: &discards)
  }

  mutating func remove(_ element: Element, discards: inout Discards<Table.Entry>) -> Bool {
    entries.remove(element, discards: &discards) != nil
  }

  mutating func compact(discards: inout Discards<Table.Entry>) -> Int {
    entries.purge(discards: &discards)
  }

  mutating func compact(atLeast goal: Int, discards: inout Discards<Table.Entry>) -> Int {
    entries.removeDead(goal, discards: &discards)
  }

  func count(discards: inout Discards<Table.Entry>) -> Int {
    entries.table.liveCount(discards: &discards)
  }
}

extension KeyedWeakSet: Sequence, ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Element...) {
    self.init(elements)
  }

  /// Visits the living elements of this moment; they live while the iterator does.
  public func makeIterator() -> IndexingIterator<[Element]> { all.makeIterator() }
}

/// A set's value for a key: that it is there.
struct WeakSetMark: Sendable {}

extension KeyedWeakSet: Sendable where Keying.Object: Sendable {}
