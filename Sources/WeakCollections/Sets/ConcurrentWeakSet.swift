/// A set of objects, told apart by identity, that is shared by threads and does not keep them alive.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type; anything else traps.
///
/// What every backend promises:
/// - An object is in the set at most once. `insert`, `remove` and `contains` are linearizable.
/// - An object whose last strong reference is gone before a call begins is in none of its answers, and no
///   answer holds an object whose `deinit` has begun.
/// - `all`, `count` and `forEach` see each object at most once; one that is in the set throughout the call
///   appears, one that is not in it throughout does not. Lock backends promise more: they are
///   linearizable.
/// - No `deinit` and no `forEach` body runs inside the set's exclusion: both may use the set.
/// - A dead entry has a maximum life: it leaves within n + 1 insertions and removals, n being the most
///   entries that there were meanwhile, and stored entries are at most 2 × live + 64 after a mutation,
///   amortised. `compact` removes all dead ones.
///
/// The requirements are `async` for the sake of the backends that suspend; a backend that never does
/// conforms with plain functions, which `SynchronousWeakSet` states.
public protocol ConcurrentWeakSet<Element>: AnyObject {
  associatedtype Element

  /// An empty set.
  init()

  /// Adds `element` unless it is there; returns whether it did, and the number of entries after it,
  /// unnoticed dead ones included.
  ///
  /// Two insertions that add never get the same number unless an entry left between them.
  ///
  /// - Complexity: O(1) amortised.
  @discardableResult
  func insert(_ element: Element) async -> (inserted: Bool, entries: Int)

  /// Whether the identical object is there.
  ///
  /// - Complexity: O(1) on average.
  func contains(_ element: Element) async -> Bool

  /// Removes the identical object; returns whether it was there.
  ///
  /// - Complexity: O(1) amortised.
  @discardableResult func remove(_ element: Element) async -> Bool

  /// The living elements, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var all: [Element] { get async }

  /// The number of living elements.
  ///
  /// Asks each object whether it lives, without promoting it where weak slots allow: then no `deinit` moves to
  /// the thread that counts.
  ///
  /// - Complexity: O(*n*).
  var count: Int { get async }

  /// The number of stored entries, those of objects that have died unnoticed included; exact while nobody
  /// writes.
  ///
  /// - Complexity: O(1).
  var entryCount: Int { get async }

  /// Calls `body` with each element of `all`, outside the set's exclusion.
  func forEach<F: Error>(_ body: (Element) throws(F) -> Void) async throws(F)

  /// Removes every element.
  func removeAll() async

  /// Removes the entries whose object is gone; returns how many.
  ///
  /// - Complexity: O(*n*).
  @discardableResult func compact() async -> Int

  /// Removes entries whose object is gone until `goal` are removed, or a few more, or it has looked at each
  /// entry; returns how many it removed.
  ///
  /// Begins where the last call has stopped, so that calls one after the other do not look at the same
  /// living entries again and again. Threads that call it at once share the entries between them: one may then
  /// look at some twice and not at others, which another looks at.
  ///
  /// - Complexity: O(*n*), and O(*n* / (dead + 1)) on average for each that it removes.
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
