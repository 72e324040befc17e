/// A set that does not keep its objects alive and distinguishes them by identity.
public typealias WeakSet<Element> = KeyedWeakSet<IdentityKeying<Element>>

/// A set that does not keep its objects alive and distinguishes them by `==`.
///
/// `insert` returns the element in the set, so the set can intern equal objects.
public typealias WeakEqualitySet<Element: Hashable> = KeyedWeakSet<EqualityKeying<Element>>

/// A set that does not keep its elements alive. Use it as `WeakSet` or `WeakEqualitySet`.
///
/// ```swift
/// var listeners: WeakSet<Listener> = []
/// listeners.insert(listener)
/// for listener in listeners { listener.hear() }
/// ```
///
/// Elements are of a class, an actor, `AnyObject` or a class-bound protocol type. The initializers
/// trap for any other type. Not thread-safe, like any other value; `AtomicWeakSet` is.
///
/// No operation returns a dead element. One of the next n + 1 insertions and removals removes its
/// entry, where n is the greatest number of entries during that time; `compact()` removes it
/// immediately. After any mutation there are at most 2 × live + 64 entries, amortized. As with a
/// standard collection, no `deinit` may use the variable that a mutation is changing; an element
/// may die during a mutation if another thread releases it then.
public struct KeyedWeakSet<Keying: WeakKeying> {
  /// The type of the elements.
  public typealias Element = Keying.Object
  typealias Table = WeakKeyTable<Keying, Void>

  private var entries = Table()

  /// Creates an empty set.
  public init() {
    ReferenceLayout.require(Element.self)
  }

  /// Creates a set with the elements of a sequence.
  ///
  /// - Complexity: O(*n*) on average in the length of the sequence.
  public init(_ elements: some Sequence<Element>) {
    self.init()
    for element in elements { insert(element) }
  }

  /// The live elements, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var all: [Element] { entries.promoteAll().map(\.key) }

  /// The number of live elements.
  ///
  /// - Complexity: O(*n*): it checks whether each object is alive.
  public var count: Int {
    var discards = Discards<Table.Entry>()
    return count(discards: &discards)
  }

  /// Whether no element is alive.
  ///
  /// - Complexity: O(*n*).
  public var isEmpty: Bool { count == 0 }

  /// The number of stored entries, including those of dead objects that were not removed yet.
  ///
  /// - Complexity: O(1).
  public var entryCount: Int { entries.table.count }

  /// Returns whether the same element is in the set and alive.
  ///
  /// - Complexity: O(1) on average.
  public func contains(_ element: Element) -> Bool {
    var discards = Discards<Table.Entry>()
    return contains(element, discards: &discards)
  }

  /// Inserts `element` unless the same element is in the set.
  ///
  /// - Returns: Whether it was inserted, the element that is in the set now, and the number of
  ///   entries afterwards.
  /// - Complexity: amortized O(1).
  @discardableResult
  public mutating func insert(_ element: Element) -> WeakSetInsertion<Element> {
    var discards = Discards<Table.Entry>()
    let (isNew, position) = insert(element, discards: &discards)
    let member = isNew || Keying.isByIdentity ? element : entries.key(at: position)
    return (isNew, member!, entryCount)  // Alive: `discards` retains it.
  }

  /// Removes the element that is the same as `element`.
  ///
  /// - Returns: Whether there was one.
  /// - Complexity: O(1) on average.
  @discardableResult
  public mutating func remove(_ element: Element) -> Bool {
    var discards = Discards<Table.Entry>()
    return remove(element, discards: &discards)
  }

  /// Removes every element.
  public mutating func removeAll() { entries = Table() }

  /// Removes the entries of dead objects.
  ///
  /// - Returns: The number of removed entries.
  /// - Complexity: O(*n*).
  @discardableResult
  public mutating func compact() -> Int {
    var discards = Discards<Table.Entry>()
    return compact(discards: &discards)
  }
}

// For callers that hold a lock: `discards` receives references that may be the last ones.
extension KeyedWeakSet {
  func contains(_ element: Element, discards: inout Discards<Table.Entry>) -> Bool {
    entries.position(of: element, discards: &discards) != nil
  }

  mutating func insert(
    _ element: Element, discards: inout Discards<Table.Entry>
  ) -> (isNew: Bool, position: Int) {
    entries.insert(element, value: (), discards: &discards)
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

extension KeyedWeakSet: Sequence, ExpressibleByArrayLiteral, CustomStringConvertible {
  /// The live elements, as a standard array prints them.
  public var description: String { all.description }

  /// Creates a set with the given elements.
  public init(arrayLiteral elements: Element...) {
    self.init(elements)
  }

  /// Returns an iterator over the elements that are alive now, which it keeps alive.
  public func makeIterator() -> IndexingIterator<[Element]> { all.makeIterator() }
}

extension KeyedWeakSet: Sendable where Keying.Object: Sendable {}
