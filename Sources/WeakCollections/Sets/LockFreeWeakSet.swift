import EpochReclamation
import Primitives

/// A lock-free weak set with epoch reclamation: a suspended thread never stops the others.
///
/// The key of an object is its address. This is sound although a dead object's entry remains for a
/// while. If the entry keeps the object's memory allocated, no other object has the address. If it
/// does not, as for a large object, a new object may get the address; but promoting the old entry
/// fails, so it counts as absent.
///
/// The entry of a dead object may keep the object's memory allocated even after its removal, until
/// the epoch allows the domain to free it; see `EpochDomain`.
public final class LockFreeWeakSet<Element>: SynchronousWeakSet, ConcurrentWeakSet {
  private let table: LockFreeWeakTable<ObjectIdentifier, Element>

  /// Creates an empty set in the shared domain. Traps if `Element` is not a reference type.
  public convenience init() {
    self.init(domain: .shared)
  }

  /// Creates an empty set whose memory `domain` reclaims. Traps if `Element` is not a reference
  /// type.
  public init(domain: EpochDomain) {
    table = LockFreeWeakTable(domain: domain)
  }

  /// Inserts `element` unless it is in the set. Lock-free.
  @discardableResult
  public func insert(_ element: Element) -> WeakSetInsertion<Element> {
    let (present, count) = table.insert(element, for: Self.key(of: element))
    return (present == nil, element, count)
  }

  /// Returns whether the identical object is in the set. Lock-free.
  public func contains(_ element: Element) -> Bool {
    // A live object at the address of `element` is `element`.
    table.object(for: Self.key(of: element)) != nil
  }

  /// Removes the identical object; returns whether it was in the set. Lock-free.
  @discardableResult
  public func remove(_ element: Element) -> Bool {
    table.remove(Self.key(of: element)) != nil
  }

  /// The live elements, in no particular order.
  public var all: [Element] { table.all.map(\.object) }

  /// The number of stored entries; exact while no thread writes.
  public var entryCount: Int { table.count }

  /// Removes the elements one by one. Elements that are inserted during the call may remain.
  public func removeAll() { table.removeAll() }

  /// Removes the entries of dead objects; returns the number of removed entries.
  @discardableResult
  public func compact() -> Int { table.purge() }

  /// Removes entries of dead objects until at least `goal` are removed or every entry was checked;
  /// returns the number of removed entries.
  @discardableResult
  public func compact(atLeast goal: Int) -> Int { table.removeDead(atLeast: goal) }

  /// The number of live elements, counted without promoting them if weak slots allow that.
  public var count: Int { table.liveCount }

  private static func key(of element: Element) -> ObjectIdentifier {
    ObjectIdentifier(ReferenceLayout.object(of: element))
  }
}

// @unchecked: shared state is atomic or immutable; threads share elements only if they are
// Sendable.
extension LockFreeWeakSet: @unchecked Sendable where Element: Sendable {}
