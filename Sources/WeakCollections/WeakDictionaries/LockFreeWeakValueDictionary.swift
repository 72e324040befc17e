import EpochReclamation
import Primitives

/// The dictionary with weak values that no stopped thread can stop: an exact interner, lock-free, with epoch
/// reclamation.
///
/// Keys, and the memory of dead values, are let go when the epoch allows, see `EpochDomain`.
public final class LockFreeWeakValueDictionary<Key: Hashable, Value>:
  ConcurrentWeakValueDictionary
{
  private let table: LockFreeWeakTable<Key, Value>

  public convenience init() {
    self.init(domain: .shared)
  }

  /// A dictionary whose memory is reclaimed by `domain`.
  public init(domain: EpochDomain) {
    table = LockFreeWeakTable(domain: domain)
  }

  public func value(forKey key: Key) -> Value? { table.object(for: key) }

  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    if let present = table.object(for: key) { return present }
    let made = makeValue()
    let present = table.insert(made, for: key).present
    return Defect.internLoserKeeps.isPlanted ? made : present ?? made
  }

  public func setValue(_ value: Value, forKey key: Key) { table.replace(key, with: value) }

  @discardableResult
  public func removeValue(forKey key: Key) -> Value? { table.remove(key) }

  public var all: [(key: Key, value: Value)] { table.all.map { ($0.key, $0.object) } }

  public var entryCount: Int { table.count }

  /// Removes the keys one by one; keys inserted meanwhile may stay.
  public func removeAll() { table.removeAll() }

  @discardableResult
  public func compact() -> Int { table.purge() }
}

// @unchecked: what threads share is atomic or immutable; keys and values are shared only if they may be.
extension LockFreeWeakValueDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
