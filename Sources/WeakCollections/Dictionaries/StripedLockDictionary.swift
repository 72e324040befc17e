import Primitives

/// A dictionary that is divided into stripes, each with its own lock: threads block each other only
/// if their keys are in the same stripe.
///
/// Operations on one key are linearizable. Operations on many keys visit one stripe after the
/// other, and are exact if no thread writes during the call. `removeAll` may leave keys that are
/// set during the call.
public final class StripedLockDictionary<Key: Hashable, Value>: SynchronousDictionary,
  ConcurrentDictionary, ExpressibleByDictionaryLiteral
{
  private typealias Stripe = AdaptiveLock<[Key: Value]>

  private let stripes: UnsafeMutableBufferPointer<Stripe>
  /// The seeds of a hash whose highest bits select the stripe of a key. The dictionaries inside the
  /// stripes use another hash.
  private let seeds = HashSeeds.random()
  private let shift: Int

  /// Creates an empty dictionary with four stripes for each core, rounded up to a power of two.
  public init() {
    let bits = Self.bits(of: 4 * Host.usableCores)
    shift = UInt.bitWidth - bits
    stripes = .allocate(capacity: 1 << bits)
    for index in stripes.indices { stripes.initializeElement(at: index, to: Stripe([:])) }
  }

  /// Returns the exponent of the smallest power of two that is at least `count`; at least 1.
  private static func bits(of count: Int) -> Int {
    max(1, Int.bitWidth - (count - 1).leadingZeroBitCount)
  }

  deinit {
    noteLastRelease(of: self)
    Teardown.perform(stripes) { stripes in
      stripes.deinitialize()
      stripes.deallocate()
    }
  }

  /// Returns the value for `key`, under the lock of its stripe.
  public func value(forKey key: Key) -> Value? {
    read(key) { $0[key] }
  }

  /// Calls `body` with the value for `key`, under the lock of its stripe and without copying
  /// the value.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    try read(key) { values throws(F) in try values.borrow(key, in: self, body) }
  }

  /// Sets the value for `key` under the lock of its stripe, and releases the old value outside it.
  public func setValue(_ value: Value, forKey key: Key) {
    // The old value is the closure's result, so that it is released outside the lock.
    _ = write(key) { $0.replaceValue(value, forKey: key) }
  }

  /// Returns whether there is a value for `key`, under the lock of its stripe.
  public func contains(key: Key) -> Bool { read(key) { $0.index(forKey: key) != nil } }

  /// Removes `key` under the lock of its stripe; returns the value that it had.
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    write(key) { $0.takeOut(key) }?.value
  }

  /// Returns the value for `key`; if there is none, inserts and returns the result of `makeValue`,
  /// which runs outside the lock.
  public func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    if let present = value(forKey: key) { return present }
    let made = try makeValue()
    return write(key) { $0.insertIfAbsent(made, forKey: key) }
  }

  /// Changes the value for `key` under the lock of its stripe; returns the result of `body`.
  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    // The outcome contains the values before and after, which are released outside the lock.
    try write(key) { $0.update(key, in: self, body) }.result.get()
  }

  /// The number of keys, added up over the stripes; exact while no thread writes.
  ///
  /// - Complexity: O(stripes).
  public var count: Int {
    CriticalSection.checkNotHeld(self)
    var count = 0
    for index in stripes.indices { count += stripes[index].read { $0.count } }
    return count
  }

  /// A copy with all keys and values, taken stripe by stripe.
  ///
  /// - Complexity: O(*n*).
  public var snapshot: [Key: Value] {
    CriticalSection.checkNotHeld(self)
    var all: [Key: Value] = [:]
    for index in stripes.indices {
      all.merge(stripes[index].read { $0 }, uniquingKeysWith: { first, _ in first })
    }
    return all
  }

  /// Removes every key, stripe by stripe. Keys that are set during the call may remain.
  public func removeAll() {
    CriticalSection.checkNotHeld(self)
    for index in stripes.indices {
      // The old values are released outside the lock.
      Teardown.release(
        stripes[index].write { values in
          defer { values = [:] }
          return values
        })
    }
  }

  private func index(of key: Key) -> Int {
    Int(truncatingIfNeeded: seeds.mix(HashedKey(key).hash) >> UInt(shift))
  }

  private func read<R, F: Error>(
    _ key: Key, _ body: (borrowing [Key: Value]) throws(F) -> R
  ) throws(F) -> R {
    try KeyCoding<Key>.guarding(self) { () throws(F) in try stripes[index(of: key)].read(body) }
  }

  private func write<R, F: Error>(
    _ key: Key, _ body: (inout [Key: Value]) throws(F) -> R
  ) throws(F) -> R {
    try KeyCoding<Key>.guarding(self) { () throws(F) in try stripes[index(of: key)].write(body) }
  }
}

// @unchecked: only the locks access the values; threads share keys and values only if they are
// Sendable.
extension StripedLockDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
