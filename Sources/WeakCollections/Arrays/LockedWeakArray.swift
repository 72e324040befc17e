import Primitives
import WeakReferences

/// A weak array behind one lock; the lock is the whole difference between its backends.
///
/// - Complexity: as the protocol says, with every operation waiting for the lock.
public final class LockedWeakArray<Element, Lock: ValueLock & ~Copyable>: SynchronousWeakArray
where Lock.Value == WeakArrayStorage<Element> {
  private let lock: Lock

  public init() {
    ReferenceLayout.require(Element.self)
    lock = Lock(WeakArrayStorage())
  }

  @discardableResult
  public func append(_ element: Element) -> Int {
    // Outlives the lock, so that what compaction promoted is released outside it.
    var promoted = PromotedObjects()
    return lock.write { $0.append(element, promoted: &promoted) }
  }

  public var all: [Element] { lock.read { $0.promoteAll() } }

  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    var elements: PromotedElements<Element>?
    lock.read { elements = $0.promotedElements() }
    try elements.take()!.visit(body)
  }

  public var count: Int {
    var promoted = PromotedObjects()
    return lock.read { $0.liveCount(promoted: &promoted) }
  }

  public var entryCount: Int { lock.read { $0.entryCount } }

  public func contains(_ element: Element) -> Bool {
    lock.read { $0.contains(element) }
  }

  @discardableResult
  public func remove(_ element: Element) -> Bool {
    lock.write { $0.remove(element) }
  }

  public func removeAll() {
    lock.write { $0 = WeakArrayStorage() }
  }

  @discardableResult
  public func compact() -> Int {
    var promoted = PromotedObjects()
    return lock.write { $0.compact(promoted: &promoted) }
  }
}

// @unchecked: `lock` alone reaches the entries, and hands out only elements, which may be shared.
extension LockedWeakArray: @unchecked Sendable where Element: Sendable, Lock: ~Copyable {}

/// The weak array behind `Synchronization.Mutex`.
///
/// Choose it for few threads and short work. It is not lock-free: a thread that is suspended during
/// an operation stops the others.
public typealias MutexWeakArray<Element> =
  LockedWeakArray<Element, MutexLock<WeakArrayStorage<Element>>>

/// The weak array behind a POSIX read-write lock: snapshots run concurrently.
public typealias ReadWriteLockWeakArray<Element> =
  LockedWeakArray<Element, ReadWriteLock<WeakArrayStorage<Element>>>

/// The weak array behind a concurrent dispatch queue: snapshots run concurrently, the rest as
/// barriers.
public typealias BarrierQueueWeakArray<Element> =
  LockedWeakArray<Element, BarrierQueueLock<WeakArrayStorage<Element>>>

/// The weak array behind a lock that spins briefly and then sleeps.
public typealias AdaptiveLockWeakArray<Element> =
  LockedWeakArray<Element, AdaptiveLock<WeakArrayStorage<Element>>>

/// The weak array as an actor: for code that suspends anyway and must never block a thread.
///
/// The objects that an operation promotes are released in the caller's context, not in the actor's.
public actor ActorWeakArray<Element: Sendable>: ConcurrentWeakArray {
  private var storage = WeakArrayStorage<Element>()

  public init() {
    ReferenceLayout.require(Element.self)
  }

  @discardableResult
  public nonisolated func append(_ element: Element) async -> Int {
    await appendInside(element).count
  }

  public nonisolated var all: [Element] {
    get async { await promoteAll() }
  }

  public nonisolated var entryCount: Int {
    get async { await entryCountInside }
  }

  public nonisolated func contains(_ element: Element) async -> Bool {
    await containsInside(element)
  }

  @discardableResult
  public nonisolated func remove(_ element: Element) async -> Bool {
    await removeInside(element)
  }

  public nonisolated func removeAll() async {
    await removeAllInside()
  }

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
