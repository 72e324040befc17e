/// A dictionary shared by threads that does not keep its values alive: an exact interner.
///
/// `Value` is a class, an actor, `AnyObject` or a class-bound protocol type; anything else traps. A key
/// whose value is dead is as one that is not there.
///
/// What every backend promises:
/// - Every operation on one key is linearizable. So all who hold a value for a key at once, from
///   `value(forKey:orInsert:)`, hold the same one, until it is replaced or removed by name; a dead one is
///   replaced in the same step.
/// - No answer holds an object whose `deinit` has begun.
/// - `all` and `count` see each key at most once; one that is there throughout the call appears, one that
///   is absent throughout does not.
/// - No `deinit` and no `makeValue` runs inside the dictionary's exclusion: both may use the dictionary.
///   Keys' `==` and `hash(into:)` do run inside: they must be short and must not use it.
/// - A dead entry has a maximum life: it leaves, and its key is let go, within n + 1 writes, n being the
///   most entries that there were meanwhile; stored entries are at most 2 × live + 64 after a write,
///   amortised. `compact` removes all dead ones. (The lock-free backend lets go of keys when the epoch
///   allows, see `EpochDomain`.)
///
/// No operation suspends.
public protocol ConcurrentWeakValueDictionary<Key, Value>: AnyObject {
  associatedtype Key: Hashable
  associatedtype Value

  /// An empty dictionary.
  init()

  /// The living value for `key`.
  ///
  /// - Complexity: O(1) on average.
  func value(forKey key: Key) -> Value?

  /// The living value for `key`; if there is none, what `makeValue` returns becomes it.
  ///
  /// Several threads may evaluate `makeValue` for one key at once, outside the exclusion: one of the values
  /// wins, all callers get that one, and the others are released.
  ///
  /// - Complexity: O(1) amortised.
  func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value

  /// Makes `value` the value for `key`.
  ///
  /// - Complexity: O(1) amortised.
  func setValue(_ value: Value, forKey key: Key)

  /// Removes `key`; returns the living value it had.
  ///
  /// - Complexity: O(1) amortised.
  @discardableResult func removeValue(forKey key: Key) -> Value?

  /// The keys of living values, and these, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var all: [(key: Key, value: Value)] { get }

  /// The number of keys whose value lives.
  ///
  /// - Complexity: O(*n*): it has to ask each value whether it lives.
  var count: Int { get }

  /// The number of stored entries, those of values that have died unnoticed included; exact while nobody
  /// writes.
  ///
  /// - Complexity: O(1).
  var entryCount: Int { get }

  /// Removes every key.
  func removeAll()

  /// Removes the entries whose value is gone; returns how many.
  ///
  /// - Complexity: O(*n*).
  @discardableResult func compact() -> Int
}

extension ConcurrentWeakValueDictionary {
  public var count: Int { all.count }
}
