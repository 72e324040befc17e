import Primitives
import WeakReferences

/// A weak array behind one lock. Its backends differ only in the lock.
///
/// - Complexity: as `ConcurrentWeakArray` specifies, plus the wait for the lock.
public final class LockedWeakArray<Element, Lock: ValueLock & ~Copyable>: SynchronousWeakArray,
  ConcurrentWeakArray
where Lock.Value == WeakArrayStorage<Element> {
  private let lock: Lock

  /// Creates an empty array. Traps if `Element` is not a reference type.
  public init() {
    ReferenceLayout.require(Element.self)
    lock = Lock(WeakArrayStorage())
  }

  /// Appends `element` under the write lock; returns the number of entries afterwards.
  @discardableResult
  public func append(_ element: Element) -> Int {
    // Declared outside the lock, so that references promoted by a compaction are released outside
    // it.
    var promoted = PromotedObjects()
    return lock.write { $0.append(element, promoted: &promoted) }
  }

  /// The live elements in order, promoted under the read lock.
  public var all: [Element] { lock.read { $0.promoteAll() } }

  /// Calls `body` with each live element, in order, after releasing the lock.
  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    var elements: PromotedElements<Element>?
    lock.read { elements = $0.promotedElements() }
    try elements.take()!.visit(body)
  }

  /// The number of live elements, counted under the read lock.
  public var count: Int {
    var promoted = PromotedObjects()
    return lock.read { $0.liveCount(promoted: &promoted) }
  }

  /// The number of stored entries, including those of dead objects that were not removed yet.
  public var entryCount: Int { lock.read { $0.entryCount } }

  /// Returns whether there is an entry for the identical object. Takes the read lock.
  public func contains(_ element: Element) -> Bool {
    lock.read { $0.contains(element) }
  }

  /// Removes the earliest entry for the identical object under the write lock; returns whether
  /// there was one.
  @discardableResult
  public func remove(_ element: Element) -> Bool {
    lock.write { $0.remove(element) }
  }

  /// Removes every entry under the write lock.
  public func removeAll() {
    lock.write { $0 = WeakArrayStorage() }
  }

  /// Removes the entries of dead objects under the write lock; returns the number of removed
  /// entries.
  @discardableResult
  public func compact() -> Int {
    var promoted = PromotedObjects()
    return lock.write { $0.compact(promoted: &promoted) }
  }
}

// @unchecked: only `lock` accesses the entries, and it hands out only elements, which may be
// shared.
extension LockedWeakArray: @unchecked Sendable where Element: Sendable, Lock: ~Copyable {}

/// The weak array behind `Synchronization.Mutex`.
///
/// Choose it for few threads and short operations. It is not lock-free: a thread that is suspended
/// during an operation stops the others.
public typealias MutexWeakArray<Element> =
  LockedWeakArray<Element, MutexLock<WeakArrayStorage<Element>>>

/// The weak array behind a POSIX read-write lock: snapshots run concurrently.
public typealias ReadWriteLockWeakArray<Element> =
  LockedWeakArray<Element, ReadWriteLock<WeakArrayStorage<Element>>>

/// The weak array behind a concurrent dispatch queue: snapshots run concurrently, other operations
/// as barriers.
public typealias BarrierQueueWeakArray<Element> =
  LockedWeakArray<Element, BarrierQueueLock<WeakArrayStorage<Element>>>

/// The weak array behind a lock that spins briefly and then sleeps.
public typealias AdaptiveLockWeakArray<Element> =
  LockedWeakArray<Element, AdaptiveLock<WeakArrayStorage<Element>>>

/// The weak array as an actor, for code that suspends anyway and must never block a thread.
///
/// The objects that an operation promotes are released in the caller's context, not in the actor's.
public actor ActorWeakArray<Element: Sendable>: ConcurrentWeakArray {
  private var storage = WeakArrayStorage<Element>()

  /// Creates an empty array. Traps if `Element` is not a reference type.
  public init() {
    ReferenceLayout.require(Element.self)
  }

  /// Appends `element` on the actor; returns the number of entries afterwards.
  @discardableResult
  public nonisolated func append(_ element: Element) async -> Int {
    await appendInside(element).count
  }

  /// The live elements in order, promoted on the actor.
  public nonisolated var all: [Element] {
    get async { await promoteAll() }
  }

  /// The number of stored entries, including those of dead objects that were not removed yet.
  public nonisolated var entryCount: Int {
    get async { await entryCountInside }
  }

  /// Returns whether there is an entry for the identical object.
  public nonisolated func contains(_ element: Element) async -> Bool {
    await containsInside(element)
  }

  /// Removes the earliest entry for the identical object; returns whether there was one.
  @discardableResult
  public nonisolated func remove(_ element: Element) async -> Bool {
    await removeInside(element)
  }

  /// Removes every entry.
  public nonisolated func removeAll() async {
    await removeAllInside()
  }

  /// Removes the entries of dead objects; returns the number of removed entries.
  @discardableResult
  public nonisolated func compact() async -> Int {
    await compactInside().count
  }

  private func appendInside(_ element: Element) -> (count: Int, promoted: PromotedObjects) {
    var promoted = PromotedObjects()
    let count = storage.append(element, promoted: &promoted)
    return (count, promoted)
  }

  private func promoteAll() -> [Element] { storage.promoteAll() }

  private var entryCountInside: Int { storage.entryCount }

  private func containsInside(_ element: Element) -> Bool { storage.contains(element) }

  private func removeInside(_ element: Element) -> Bool { storage.remove(element) }

  private func removeAllInside() { storage = WeakArrayStorage() }

  private func compactInside() -> (count: Int, promoted: PromotedObjects) {
    var promoted = PromotedObjects()
    let count = storage.compact(promoted: &promoted)
    return (count, promoted)
  }
}
