/// A `ConcurrentWeakArray` that never suspends: the same operations for code without `await`.
///
/// The properties are requirements of their own (`@_nonoverride`): as refinements of the `async` ones the
/// compiler of 6.3 calls them as if they suspended, and crashes.
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
