/// An array shared by threads that does not keep its elements alive.
///
/// `Element` is a class, an actor, `AnyObject` or a class-bound protocol type; anything else traps.
///
/// Every backend guarantees:
/// - Entries are in the order in which they were appended, with duplicates.
/// - An object whose last strong reference is gone before a snapshot begins is not in it, and no
///   snapshot holds an object whose `deinit` has begun.
/// - After `append` returns, every later snapshot of any thread holds the element while it is
///   alive.
/// - Snapshots (`all`, `count`, `forEach`) are linearizable.
/// - No `deinit` and no `forEach` body runs inside the array's critical section: both may use the
///   array.
/// - After any mutation there are at most 2 × live + 64 stored entries, amortized. Until then the
///   entries of dead objects stay, and with them their memory or side tables; see `WeakReference`.
///
/// The requirements are `async` for the backends that suspend. A backend that never suspends
/// conforms with plain functions, which `SynchronousWeakArray` requires.
public protocol ConcurrentWeakArray<Element>: AnyObject {
  associatedtype Element

  /// An empty array.
  init()

  /// Adds `element` behind all others.
  ///
  /// - Returns: The number of entries afterwards, including unnoticed dead ones. Two appends never
  ///   get the same number unless an entry was removed between them.
  ///
  /// - Complexity: O(1) amortized.
  @discardableResult func append(_ element: Element) async -> Int

  /// The live elements in order, as of one moment during the call.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var all: [Element] { get async }

  /// The number of live elements, as of one moment during the call.
  ///
  /// - Complexity: O(*n*): it checks whether each object is alive.
  var count: Int { get async }

  /// The number of stored entries, including those of objects that have died unnoticed.
  ///
  /// - Complexity: O(1).
  var entryCount: Int { get async }

  /// Calls `body` with each element of `all`, outside the array's critical section.
  func forEach<F: Error>(_ body: (Element) throws(F) -> Void) async throws(F)

  /// Whether there is an entry for the identical object.
  ///
  /// - Complexity: O(*n*).
  func contains(_ element: Element) async -> Bool

  /// Removes the earliest entry for the identical object; returns whether there was one.
  ///
  /// - Complexity: O(*n*).
  @discardableResult func remove(_ element: Element) async -> Bool

  /// Removes every entry.
  func removeAll() async

  /// Removes the entries of dead objects; returns the number removed.
  ///
  /// - Complexity: O(*n*).
  @discardableResult func compact() async -> Int
}

extension ConcurrentWeakArray {
  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) async throws(F) {
    try await all.visit(body)
  }

  public var count: Int {
    get async { await all.count }
  }
}

/// A `ConcurrentWeakArray` that never suspends: the same operations for code without `await`.
///
/// The properties are requirements of their own (`@_nonoverride`). If they refined the `async`
/// ones, the compiler of Swift 6.3 would call them as if they suspended, and crash.
public protocol SynchronousWeakArray<Element>: ConcurrentWeakArray {
  @discardableResult func append(_ element: Element) -> Int
  @_nonoverride var all: [Element] { get }
  @_nonoverride var count: Int { get }
  @_nonoverride var entryCount: Int { get }
  func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F)
  func contains(_ element: Element) -> Bool
  @discardableResult func remove(_ element: Element) -> Bool
  func removeAll()
  @discardableResult func compact() -> Int
}

extension SynchronousWeakArray {
  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    try all.visit(body)
  }

  public var count: Int { all.count }
}
