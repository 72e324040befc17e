/// A set shared by threads that does not keep its objects alive, and distinguishes them by
/// identity.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type; anything else traps.
///
/// Every backend guarantees:
/// - An object is in the set at most once. `insert`, `remove` and `contains` are linearizable.
/// - A call does not return an object whose last strong reference is gone before the call begins,
///   nor an object whose `deinit` has begun.
/// - `all`, `count` and `forEach` see each object at most once. An object that is in the set
///   throughout the call appears; one that is not in it throughout the call does not. The backends
///   that lock guarantee more: they are linearizable.
/// - No `deinit` and no `forEach` body runs inside the set's critical section: both may use the
///   set.
/// - A dead entry has a maximum life: it is removed within n + 1 insertions and removals, where n
///   is the greatest number of entries meanwhile. After a mutation there are at most 2 × live + 64
///   entries, amortized. `compact` removes all dead ones.
///
/// The requirements are `async` for the backends that suspend. A backend that never suspends
/// conforms with plain functions, which `SynchronousWeakSet` requires.
public protocol ConcurrentWeakSet<Element>: AnyObject {
  associatedtype Element

  /// An empty set.
  init()

  /// Adds `element` unless it is in the set.
  ///
  /// - Returns: Whether it was added, and the number of entries afterwards, including unnoticed
  ///   dead ones. Two insertions that add an element never get the same number unless an entry was
  ///   removed between them.
  ///
  /// - Complexity: O(1) amortized.
  @discardableResult
  func insert(_ element: Element) async -> (inserted: Bool, entries: Int)

  /// Whether the identical object is in the set.
  ///
  /// - Complexity: O(1) on average.
  func contains(_ element: Element) async -> Bool

  /// Removes the identical object; returns whether it was there.
  ///
  /// - Complexity: O(1) amortized.
  @discardableResult func remove(_ element: Element) async -> Bool

  /// The live elements, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var all: [Element] { get async }

  /// The number of live elements.
  ///
  /// Asks each object whether it lives, without promoting it where weak slots allow: then no
  /// `deinit` moves to the thread that counts.
  ///
  /// - Complexity: O(*n*).
  var count: Int { get async }

  /// The number of stored entries, including those of objects that have died unnoticed; exact while
  /// no thread writes.
  ///
  /// - Complexity: O(1).
  var entryCount: Int { get async }

  /// Calls `body` with each element of `all`, outside the set's critical section.
  func forEach<F: Error>(_ body: (Element) throws(F) -> Void) async throws(F)

  /// Removes every element.
  func removeAll() async

  /// Removes the entries of dead objects; returns the number removed.
  ///
  /// - Complexity: O(*n*).
  @discardableResult func compact() async -> Int

  /// Removes entries of dead objects until it has removed at least `goal`, or has checked each
  /// entry; returns the number removed.
  ///
  /// Begins where the last call stopped, so that successive calls do not check the same live
  /// entries again and again. Threads that call it concurrently share the entries among them: a
  /// thread may then check some twice, and not others, which another thread checks.
  ///
  /// - Complexity: O(*n*), and O(*n* / (dead + 1)) on average for each removed entry.
  @discardableResult func compact(atLeast goal: Int) async -> Int
}

extension ConcurrentWeakSet {
  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) async throws(F) {
    try await all.visit(body)
  }

  public var count: Int {
    get async { await all.count }
  }

  @discardableResult public func compact(atLeast goal: Int) async -> Int { await compact() }
}

/// A `ConcurrentWeakSet` that never suspends: the same operations for code without `await`.
///
/// The properties are requirements of their own (`@_nonoverride`), as in `SynchronousWeakArray`.
public protocol SynchronousWeakSet<Element>: ConcurrentWeakSet {
  @discardableResult func insert(_ element: Element) -> (inserted: Bool, entries: Int)
  func contains(_ element: Element) -> Bool
  @discardableResult func remove(_ element: Element) -> Bool
  @_nonoverride var all: [Element] { get }
  @_nonoverride var count: Int { get }
  @_nonoverride var entryCount: Int { get }
  func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F)
  func removeAll()
  @discardableResult func compact() -> Int
  @discardableResult func compact(atLeast goal: Int) -> Int
}

extension SynchronousWeakSet {
  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    try all.visit(body)
  }

  public var count: Int { all.count }

  @discardableResult public func compact(atLeast goal: Int) -> Int { compact() }
}
