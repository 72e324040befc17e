/// A weak set behind one lock. Its backends differ only in the lock.
///
/// All operations are linearizable, and `entryCount` is exact.
public final class LockedWeakSet<Element, Lock: ValueLock & ~Copyable>: SynchronousWeakSet,
  ConcurrentWeakSet
where Lock.Value == WeakSet<Element> {
  private let lock: Lock

  /// Creates an empty set. Traps if `Element` is not a reference type.
  public init() {
    lock = Lock(WeakSet())
  }

  /// Inserts `element` under the write lock unless it is in the set.
  @discardableResult
  public func insert(_ element: Element) -> WeakSetInsertion<Element> {
    write { elements, discards in
      let isNew = elements.insert(element, discards: &discards).isNew
      return (isNew, element, elements.entryCount)
    }
  }

  /// Returns whether the identical object is in the set. Takes the read lock.
  public func contains(_ element: Element) -> Bool {
    // Comparing identities promotes only objects that the caller also holds.
    lock.read { $0.contains(element) }
  }

  /// Removes the identical object under the write lock; returns whether it was in the set.
  @discardableResult
  public func remove(_ element: Element) -> Bool {
    write { $0.remove(element, discards: &$1) }
  }

  /// The live elements, in no particular order, promoted under the read lock.
  public var all: [Element] { lock.read { $0.all } }

  /// The number of stored entries, including those of dead objects that were not removed yet.
  public var entryCount: Int { lock.read { $0.entryCount } }

  /// Removes every element under the write lock.
  public func removeAll() {
    lock.write { $0.removeAll() }
  }

  /// Removes the entries of dead objects under the write lock; returns the number of removed
  /// entries.
  @discardableResult
  public func compact() -> Int {
    write { $0.compact(discards: &$1) }
  }

  /// Removes entries of dead objects under the write lock until at least `goal` are removed or
  /// every entry was checked; returns the number of removed entries.
  @discardableResult
  public func compact(atLeast goal: Int) -> Int {
    write { $0.compact(atLeast: goal, discards: &$1) }
  }

  // No element is inserted during the call, and a dead one stays dead. So the number of live
  // elements only decreases, and at one moment it equals the result.
  /// The number of live elements, counted under the read lock.
  public var count: Int {
    var discards = Discarded()  // Declared outside the lock, see `write`.
    return lock.read { $0.count(discards: &discards) }
  }

  private typealias Discarded = Discards<WeakSet<Element>.Table.Entry>

  private func write<R>(_ body: (inout WeakSet<Element>, inout Discarded) -> R) -> R {
    // Declared outside the lock, so that promoted references are released outside it.
    var discards = Discarded()
    return lock.write { body(&$0, &discards) }
  }
}

// @unchecked: only `lock` accesses the entries, and it hands out only elements, which may be
// shared.
extension LockedWeakSet: @unchecked Sendable where Element: Sendable, Lock: ~Copyable {}

/// The weak set behind `Synchronization.Mutex`.
public typealias MutexWeakSet<Element> = LockedWeakSet<Element, MutexLock<WeakSet<Element>>>

/// The weak set behind a POSIX read-write lock: readers run concurrently.
public typealias ReadWriteLockWeakSet<Element> =
  LockedWeakSet<Element, ReadWriteLock<WeakSet<Element>>>

/// The weak set behind a concurrent dispatch queue: readers run concurrently, writers as barriers.
public typealias BarrierQueueWeakSet<Element> =
  LockedWeakSet<Element, BarrierQueueLock<WeakSet<Element>>>

/// The weak set behind a lock that spins briefly and then sleeps.
public typealias AdaptiveLockWeakSet<Element> =
  LockedWeakSet<Element, AdaptiveLock<WeakSet<Element>>>

/// The weak set as an actor, for code that suspends anyway and must never block a thread.
///
/// The objects that an operation promotes are released in the caller's context, not in the actor's.
public actor ActorWeakSet<Element: Sendable>: ConcurrentWeakSet {
  private typealias Discarded = Discards<WeakSet<Element>.Table.Entry>

  private var elements = WeakSet<Element>()

  /// Creates an empty set. Traps if `Element` is not a reference type.
  public init() {}

  /// Inserts `element` on the actor unless it is in the set.
  @discardableResult
  public nonisolated func insert(_ element: Element) async -> WeakSetInsertion<Element> {
    await insertInside(element).result
  }

  /// Returns whether the identical object is in the set.
  public nonisolated func contains(_ element: Element) async -> Bool {
    await containsInside(element)
  }

  /// Removes the identical object; returns whether it was in the set.
  @discardableResult
  public nonisolated func remove(_ element: Element) async -> Bool {
    await removeInside(element).result
  }

  /// The live elements, in no particular order, promoted on the actor.
  public nonisolated var all: [Element] {
    get async { await promoteAll() }
  }

  /// The number of stored entries, including those of dead objects that were not removed yet.
  public nonisolated var entryCount: Int {
    get async { await entryCountInside }
  }

  /// Removes every element.
  public nonisolated func removeAll() async {
    await removeAllInside()
  }

  /// Removes the entries of dead objects; returns the number of removed entries.
  @discardableResult
  public nonisolated func compact() async -> Int {
    await compactInside().result
  }

  /// Removes entries of dead objects until at least `goal` are removed or every entry was checked;
  /// returns the number of removed entries.
  @discardableResult
  public nonisolated func compact(atLeast goal: Int) async -> Int {
    await compactInside(atLeast: goal).result
  }

  /// The number of live elements, counted on the actor.
  public nonisolated var count: Int {
    get async { await countInside().result }
  }

  private func insertInside(_ element: Element) -> Leaving<WeakSetInsertion<Element>> {
    var discards = Discarded()
    let isNew = elements.insert(element, discards: &discards).isNew
    return Leaving(result: (isNew, element, elements.entryCount), discards: discards)
  }

  private func containsInside(_ element: Element) -> Bool { elements.contains(element) }

  private func removeInside(_ element: Element) -> Leaving<Bool> {
    var discards = Discarded()
    return Leaving(result: elements.remove(element, discards: &discards), discards: discards)
  }

  private func promoteAll() -> [Element] { elements.all }

  private var entryCountInside: Int { elements.entryCount }

  private func removeAllInside() { elements.removeAll() }

  private func compactInside() -> Leaving<Int> {
    var discards = Discarded()
    return Leaving(result: elements.compact(discards: &discards), discards: discards)
  }

  private func compactInside(atLeast goal: Int) -> Leaving<Int> {
    var discards = Discarded()
    return Leaving(result: elements.compact(atLeast: goal, discards: &discards), discards: discards)
  }

  private func countInside() -> Leaving<Int> {
    var discards = Discarded()
    return Leaving(result: elements.count(discards: &discards), discards: discards)
  }

  /// A result with the references that must be released outside the actor.
  // @unchecked: `discards` contains elements, which may be shared, and is only ever released.
  private struct Leaving<Result>: @unchecked Sendable {
    let result: Result
    let discards: Discarded
  }
}
