/// A set that threads share and that does not keep its objects alive. It distinguishes objects by
/// identity.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type. The initializers
/// trap for any other type.
///
/// Every backend guarantees:
/// - An object is in the set at most once. `insert`, `remove` and `contains` are linearizable.
/// - A call does not return an object whose last strong reference is gone before the call begins,
///   nor an object whose `deinit` has begun.
/// - `all`, `count` and `forEach` see each object at most once. An object that is in the set
///   throughout the call appears; an object that is absent throughout the call does not. The
///   backends that lock guarantee more: these operations are linearizable.
/// - No `deinit` and no `forEach` body runs inside the set's critical section: both may use the
///   set.
/// - A dead entry is removed within n + 1 insertions and removals, where n is the greatest number
///   of entries during that time. After a mutation there are at most 2 × live + 64 entries,
///   amortized. `compact` removes all dead ones.
///
/// The requirements are `async` for backends that suspend. A backend that never suspends conforms
/// to `SynchronousWeakSet` too, with the same plain functions.
public protocol ConcurrentWeakSet<Element>: AnyObject {
  /// The type of the elements.
  associatedtype Element

  /// Creates an empty set.
  init()

  /// Inserts `element` unless it is in the set.
  ///
  /// - Returns: Whether it was inserted, `element` itself, and the number of entries afterwards.
  ///   Two insertions that add an element never return the same number unless an entry was removed
  ///   between them.
  /// - Complexity: amortized O(1).
  @discardableResult func insert(_ element: Element) async -> WeakSetInsertion<Element>

  /// Returns whether the identical object is in the set.
  ///
  /// - Complexity: O(1) on average.
  func contains(_ element: Element) async -> Bool

  /// Removes the identical object.
  ///
  /// - Returns: Whether it was in the set.
  /// - Complexity: amortized O(1).
  @discardableResult func remove(_ element: Element) async -> Bool

  /// The live elements, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var all: [Element] { get async }

  /// The number of live elements.
  ///
  /// Checks whether each object is alive, without promoting it if weak slots allow that. Then no
  /// `deinit` runs on the counting thread because of the count.
  ///
  /// - Complexity: O(*n*).
  var count: Int { get async }

  /// Whether no element is alive.
  ///
  /// - Complexity: O(*n*).
  var isEmpty: Bool { get async }

  /// The number of stored entries, including those of dead objects that were not removed yet; exact
  /// while no thread writes.
  ///
  /// - Complexity: O(1).
  var entryCount: Int { get async }

  /// Calls `body` with each element of `all`, outside the set's critical section.
  ///
  /// - Throws: The error that `body` throws; the remaining elements are then skipped.
  func forEach<F: Error>(_ body: (Element) throws(F) -> Void) async throws(F)

  /// Removes every element.
  ///
  /// - Complexity: O(*n*).
  func removeAll() async

  /// Removes the entries of dead objects.
  ///
  /// - Returns: The number of removed entries.
  /// - Complexity: O(*n*).
  @discardableResult func compact() async -> Int

  /// Removes entries of dead objects until at least `goal` are removed or every entry was checked.
  ///
  /// Continues where the previous call stopped, so that successive calls do not check the same live
  /// entries repeatedly. Concurrent calls divide the entries among themselves: one thread may check
  /// some entries twice and leave others to another thread.
  ///
  /// - Parameter goal: The number of entries to remove.
  /// - Returns: The number of removed entries.
  /// - Complexity: O(*n*), and O(*n* / (dead + 1)) on average for each removed entry.
  @discardableResult func compact(atLeast goal: Int) async -> Int
}

// For actors alone, as in `ConcurrentWeakArray`.
extension ConcurrentWeakSet where Self: Actor {
  /// Calls `body` with each element of `all`.
  public nonisolated func forEach<F: Error>(
    _ body: (Element) throws(F) -> Void
  ) async throws(F) {
    try await all.visit(body)
  }

  /// The number of elements in `all`.
  public nonisolated var count: Int {
    get async { await all.count }
  }

  /// Whether no element is alive.
  public nonisolated var isEmpty: Bool {
    get async { await count == 0 }
  }

  /// Removes the entries of all dead objects; returns the number of removed entries.
  @discardableResult
  public nonisolated func compact(atLeast goal: Int) async -> Int { await compact() }
}

/// A weak set that never suspends: its members need no `await`, also in asynchronous functions.
///
/// Each requirement has the meaning of the one of `ConcurrentWeakSet` with the same name. Every
/// synchronous backend conforms to both protocols, as with `SynchronousWeakArray`.
public protocol SynchronousWeakSet<Element>: AnyObject, CustomStringConvertible {
  /// The type of the elements.
  associatedtype Element

  /// Creates an empty set.
  init()

  /// Inserts `element` unless it is in the set; returns whether it was inserted, and the number of
  /// entries afterwards.
  @discardableResult func insert(_ element: Element) -> WeakSetInsertion<Element>
  /// Returns whether the identical object is in the set.
  func contains(_ element: Element) -> Bool
  /// Removes the identical object; returns whether it was in the set.
  @discardableResult func remove(_ element: Element) -> Bool
  /// The live elements, in no particular order.
  var all: [Element] { get }
  /// The number of live elements.
  var count: Int { get }
  /// The number of stored entries, including those of dead objects that were not removed yet.
  var entryCount: Int { get }
  /// Calls `body` with each element of `all`, outside the set's critical section.
  func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F)
  /// Removes every element.
  func removeAll()
  /// Removes the entries of dead objects; returns the number of removed entries.
  @discardableResult func compact() -> Int
  /// Removes entries of dead objects until at least `goal` are removed or every entry was checked;
  /// returns the number of removed entries.
  @discardableResult func compact(atLeast goal: Int) -> Int
}

extension SynchronousWeakSet {
  /// Calls `body` with each element of `all`.
  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    try all.visit(body)
  }

  /// The number of elements in `all`.
  public var count: Int { all.count }

  /// Whether no element is alive.
  ///
  /// - Complexity: O(*n*).
  public var isEmpty: Bool { count == 0 }

  /// The live elements, as a standard array prints them.
  public var description: String { all.description }

  /// Removes the entries of all dead objects; returns the number of removed entries.
  @discardableResult public func compact(atLeast goal: Int) -> Int { compact() }
}

/// What inserting into a weak set returns: whether the element was inserted, the element that is in
/// the set now, and the number of entries afterwards, including those of dead objects that were not
/// removed yet.
public typealias WeakSetInsertion<Element> = (
  inserted: Bool, memberAfterInsert: Element, entries: Int
)
