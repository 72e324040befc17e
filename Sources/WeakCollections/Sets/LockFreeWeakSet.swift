import EpochReclamation
import Primitives

/// A lock-free weak set with epoch reclamation: no suspended thread stops the others.
///
/// The key of an object is its address. This is sound because an entry holds the memory of its
/// object, dead or not, so that no other object has the address. The memory of a large object is
/// not held: then a dead entry may have the address of a live object, and promoting it shows that
/// it is dead.
///
/// Removed entries of dead objects hold their memory until the epoch allows, see `EpochDomain`.
public final class LockFreeWeakSet<Element>: SynchronousWeakSet {
  private let table: LockFreeWeakTable<ObjectIdentifier, Element>

  public convenience init() {
    self.init(domain: .shared)
  }

  /// Creates an empty set whose memory `domain` reclaims.
  public init(domain: EpochDomain) {
    table = LockFreeWeakTable(domain: domain)
  }

  @discardableResult
  public func insert(_ element: Element) -> (inserted: Bool, entries: Int) {
    let (present, count) = table.insert(element, for: Self.key(of: element))
    return (present == nil, count)
  }

  public func contains(_ element: Element) -> Bool {
    // The live object at the address of `element` is `element`.
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
