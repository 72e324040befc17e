import Foundation
import WeakCollections

/// What people write today: a lock around an array of weak references, cleaned by hand.
public final class NSLockWeakArray<Element>: SynchronousWeakArray {
  private let lock = NSLock()
  private var references: [WeakReference<Element>] = []

  public init() {}

  @discardableResult
  public func append(_ element: Element) -> Int {
    lock.withLock {
      references.append(WeakReference(element))
      if references.count > 2 * cleanedCount + 64 { clean() }
      return references.count
    }
  }

  public var all: [Element] { lock.withLock { references.compactMap { $0.promote() } } }

  public var entryCount: Int { lock.withLock { references.count } }

  public func contains(_ element: Element) -> Bool {
    lock.withLock { references.contains { $0.refers(to: element) } }
  }

  @discardableResult
  public func remove(_ element: Element) -> Bool {
    lock.withLock {
      guard let index = references.firstIndex(where: { $0.refers(to: element) }) else {
        return false
      }
      references.remove(at: index)
      return true
    }
  }

  public func removeAll() {
    lock.withLock { references.removeAll() }
  }

  @discardableResult
  public func compact() -> Int {
    lock.withLock {
      let count = references.count
      clean()
      return count - references.count
    }
  }

  private var cleanedCount = 0

  private func clean() {
    references.removeAll { $0.promote() == nil }
    cleanedCount = references.count
  }
}

// @unchecked: everything is touched only under `lock`.
extension NSLockWeakArray: @unchecked Sendable where Element: Sendable {}
