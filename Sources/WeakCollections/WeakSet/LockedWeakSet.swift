/// A weak set behind one lock; the lock is the whole difference between its backends.
///
/// All its operations are linearizable, and `entryCount` is exact.
public final class LockedWeakSet<Element, Lock: ValueLock & ~Copyable>: SynchronousWeakSet
where Lock.Value == WeakSet<Element> {
  private let lock: Lock

  public init() {
    lock = Lock(WeakSet())
  }

  @discardableResult
  public func insert(_ element: Element) -> (inserted: Bool, entries: Int) {
    write { elements, discards in
      let isNew = elements.insert(element, discards: &discards).isNew
      return (isNew, elements.entryCount)
    }
  }

  public func contains(_ element: Element) -> Bool {
    // Comparing identities promotes nothing that the caller does not hold.
    lock.read { $0.contains(element) }
  }

  @discardableResult
  public func remove(_ element: Element) -> Bool {
    write { $0.remove(element, discards: &$1) }
  }

  public var all: [Element] { lock.read { $0.all } }

  public var entryCount: Int { lock.read { $0.entryCount } }

  public func removeAll() {
    lock.write { $0.removeAll() }
  }

  @discardableResult
  public func compact() -> Int {
    write { $0.compact(discards: &$1) }
  }

  @discardableResult
  public func compact(atLeast goal: Int) -> Int {
    write { $0.compact(atLeast: goal, discards: &$1) }
  }

  // None is added meanwhile, and what is dead stays so: of the moments of this call, at which fewer and fewer
  // live, there is one at which as many live as are found.
  public var count: Int {
    var discards = Discarded()  // Outlives the lock.
    return lock.read { $0.count(discards: &discards) }
  }

  private typealias Discarded = Discards<WeakSet<Element>.Table.Entry>

  private func write<R>(_ body: (inout WeakSet<Element>, inout Discarded) -> R) -> R {
    // Outlives the lock, so that what was promoted is released outside it.
    var discards = Discarded()
    return lock.write { body(&$0, &discards) }
  }
}

// @unchecked: `lock` alone reaches the entries, and hands out only elements, which may be shared.
extension LockedWeakSet: @unchecked Sendable where Element: Sendable, Lock: ~Copyable {}
