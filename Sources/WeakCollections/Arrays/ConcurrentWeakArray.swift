/// An array that threads share and that does not keep its elements alive.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type. The initializers
/// trap for any other type.
///
/// Every backend guarantees:
/// - Entries are in the order in which they were appended, with duplicates.
/// - An object whose last strong reference is gone before a snapshot begins is not in it, and no
///   snapshot contains an object whose `deinit` has begun.
/// - After `append` returns, every later snapshot of any thread contains the element while it is
///   alive.
/// - Snapshots (`all`, `count`, `forEach`) are linearizable.
/// - No `deinit` and no `forEach` body runs inside the array's critical section: both may use the
///   array.
/// - Mutations remove entries of dead objects, so at most 2 × live + 64 entries are stored. The
///   bound is amortized: if many objects die together, it holds again only after further mutations.
///   Until its entry is removed, a dead object's memory or side table remains; see `WeakReference`.
///
/// The requirements are `async` for backends that suspend. A backend that never suspends conforms
/// to `SynchronousWeakArray` too, with the same plain functions.
public protocol ConcurrentWeakArray<Element>: AnyObject {
  /// The type of the elements.
  associatedtype Element

  /// Creates an empty array.
  init()

  /// Appends `element`.
  ///
  /// Takes effect before it returns: every later snapshot contains the element while it is alive.
  ///
  /// - Parameter element: The object to refer to. A pending call does not keep it alive.
  /// - Returns: The number of entries afterwards, including those of dead objects that were not
  ///   removed yet. Two appends never return the same number unless an entry was removed between
  ///   them.
  /// - Complexity: amortized O(1).
  @discardableResult func append(_ element: Element) async -> Int

  /// The live elements in order, as of one moment during the call.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var all: [Element] { get async }

  /// The number of live elements, as of one moment during the call.
  ///
  /// - Complexity: O(*n*): it checks whether each object is alive.
  var count: Int { get async }

  /// Whether no element is alive, as of one moment during the call.
  ///
  /// - Complexity: O(*n*).
  var isEmpty: Bool { get async }

  /// The number of stored entries, including those of dead objects that were not removed yet.
  ///
  /// - Complexity: O(1).
  var entryCount: Int { get async }

  /// Calls `body` with each element of `all`, in order, outside the array's critical section.
  ///
  /// - Parameter body: The closure to call. It may use the array.
  /// - Throws: The error that `body` throws; the remaining elements are then skipped.
  /// - Complexity: O(*n*) in the number of entries.
  func forEach<F: Error>(_ body: (Element) throws(F) -> Void) async throws(F)

  /// Returns whether there is an entry for the identical object.
  ///
  /// - Complexity: O(*n*).
  func contains(_ element: Element) async -> Bool

  /// Removes the earliest entry for the identical object.
  ///
  /// - Returns: Whether there was such an entry.
  /// - Complexity: O(*n*).
  @discardableResult func remove(_ element: Element) async -> Bool

  /// Removes every entry.
  ///
  /// - Complexity: O(*n*).
  func removeAll() async

  /// Removes the entries of objects that are dead at one moment during the call.
  ///
  /// - Returns: The number of removed entries.
  /// - Complexity: O(*n*).
  @discardableResult func compact() async -> Int
}

// For actors alone: an asynchronous function prefers `async` members, so that a synchronous backend
// would demand `await` for those that it inherits.
extension ConcurrentWeakArray where Self: Actor {
  /// Calls `body` with each element of `all`, in order.
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
}

/// A weak array that never suspends: its members need no `await`, also in asynchronous functions.
///
/// Each requirement has the meaning of the one of `ConcurrentWeakArray` with the same name. Every
/// synchronous backend conforms to both protocols. This one does not refine the other, because an
/// asynchronous function would then choose the `async` requirements and demand `await`.
public protocol SynchronousWeakArray<Element>: AnyObject, CustomStringConvertible {
  /// The type of the elements.
  associatedtype Element

  /// Creates an empty array.
  init()

  /// Appends `element`; returns the number of entries afterwards.
  @discardableResult func append(_ element: Element) -> Int
  /// The live elements in order, as of one moment during the call.
  var all: [Element] { get }
  /// The number of live elements, as of one moment during the call.
  var count: Int { get }
  /// The number of stored entries, including those of dead objects that were not removed yet.
  var entryCount: Int { get }
  /// Calls `body` with each element of `all`, in order, outside the critical section.
  func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F)
  /// Returns whether there is an entry for the identical object.
  func contains(_ element: Element) -> Bool
  /// Removes the earliest entry for the identical object; returns whether there was one.
  @discardableResult func remove(_ element: Element) -> Bool
  /// Removes every entry.
  func removeAll()
  /// Removes the entries of dead objects; returns the number of removed entries.
  @discardableResult func compact() -> Int
}

extension SynchronousWeakArray {
  /// Calls `body` with each element of `all`, in order.
  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    try all.visit(body)
  }

  /// The number of elements in `all`.
  public var count: Int { all.count }

  /// Whether no element is alive, as of one moment during the call.
  ///
  /// - Complexity: O(*n*).
  public var isEmpty: Bool { count == 0 }

  /// The live elements, as a standard array prints them.
  public var description: String { all.description }
}
