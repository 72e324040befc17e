import EpochReclamation
import Primitives

/// The weak set that no stopped thread can stop: lock-free, with epoch reclamation.
///
/// An object's address is its key. That is sound where an entry holds the memory of its object, dead or not,
/// so that the address is nobody else's; a large object's memory is not held, and then a dead entry with
/// the address of a living object is told apart by asking it.
///
/// Entries of dead objects that have left hold their memory until the epoch allows, see `EpochDomain`.
public final class LockFreeWeakSet<Element>: SynchronousWeakSet {
  private let table: LockFreeWeakTable<ObjectIdentifier, Element>

  public convenience init() {
    self.init(domain: .shared)
  }

  /// A set whose memory is reclaimed by `domain`.
  public init(domain: EpochDomain) {
    table = LockFreeWeakTable(domain: domain)
  }

  @discardableResult
  public func insert(_ element: Element) -> (inserted: Bool, entries: Int) {
    let (present, count) = table.insert(element, for: Self.key(of: element))
    return (present == nil, count)
  }

  public func contains(_ element: Element) -> Bool {
    // What lives at the address of `element` is `element`.
    table.object(for: Self.key(of: element)) != nil
  }

  @discardableResult
  public func remove(_ element: Element) -> Bool {
    table.remove(Self.key(of: element)) != nil
  }

  public var all: [Element] { table.all.map(\.object) }

  public var entryCount: Int { table.count }

  /// Removes the elements one by one; those inserted meanwhile may stay.
  public func removeAll() { table.removeAll() }

  @discardableResult
  public func compact() -> Int { table.purge() }

  @discardableResult
  public func compact(atLeast goal: Int) -> Int { table.removeDead(atLeast: goal) }

  public var count: Int { table.liveCount }

  private static func key(of element: Element) -> ObjectIdentifier {
    ObjectIdentifier(ReferenceLayout.object(of: element))
  }
}

// @unchecked: what threads share is atomic or immutable; elements are shared only if they may be.
extension LockFreeWeakSet: @unchecked Sendable where Element: Sendable {}
