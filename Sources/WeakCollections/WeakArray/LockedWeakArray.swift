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
