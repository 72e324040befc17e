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
