import Primitives

/// A dictionary in stripes, each behind a lock of its own: threads wait for each other only if
/// their keys are in the same stripe.
///
/// Operations on one key are linearizable. Operations on many keys visit one stripe after the
/// other, and are exact if no thread writes meanwhile; `removeAll` may leave keys set meanwhile.
public final class StripedLockDictionary<Key: Hashable, Value>: SynchronousDictionary {
  private typealias Stripe = AdaptiveLock<[Key: Value]>

  private let stripes: UnsafeMutableBufferPointer<Stripe>
  /// The stripe of a key is given by the highest bits of a hash that the dictionaries inside do not
  /// use.
  private let seeds = HashSeeds.random()
  private let shift: Int

  public init() {
    let bits = Self.bits(of: 4 * Host.usableCores)
    shift = UInt.bitWidth - bits
    stripes = .allocate(capacity: 1 << bits)
    for index in stripes.indices { stripes.initializeElement(at: index, to: Stripe([:])) }
  }

  /// The exponent of the least power of two that is at least `count`; at least 1.
  private static func bits(of count: Int) -> Int {
    max(1, Int.bitWidth - (count - 1).leadingZeroBitCount)
  }

  deinit {
    noteLastRelease(of: self)
    stripes.deinitialize()
    stripes.deallocate()
  }

  public func value(forKey key: Key) -> Value? {
    read(key) { $0[key] }
  }

  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    try read(key) { values throws(F) in try values.borrow(key, in: self, body) }
  }

  public func setValue(_ value: Value, forKey key: Key) {
    // The old value is the closure's result, so that it is released outside the lock.
    _ = write(key) { $0.replaceValue(value, forKey: key) }
  }

  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    write(key) { $0.takeOut(key) }?.value
  }

  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    if let present = value(forKey: key) { return present }
    let made = makeValue()
    return write(key) { $0.insertIfAbsent(made, forKey: key) }
  }

  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    // The outcome leaves the lock with the values before and after, to be released outside.
    try write(key) { $0.update(key, in: self, body) }.result.get()
  }

  public var count: Int {
    Exclusion.checkNotHeld(self)
    var count = 0
    for index in stripes.indices { count += stripes[index].read { $0.count } }
    return count
  }

  public var snapshot: [Key: Value] {
    Exclusion.checkNotHeld(self)
    var all: [Key: Value] = [:]
    for index in stripes.indices {
      all.merge(stripes[index].read { $0 }, uniquingKeysWith: { first, _ in first })
    }
    return all
  }

  public func removeAll() {
    Exclusion.checkNotHeld(self)
    for index in stripes.indices {
      // The old values are released outside the lock.
      _ = stripes[index].write { values in
        defer { values = [:] }
        return values
      }
    }
  }

  private func index(of key: Key) -> Int {
    Int(truncatingIfNeeded: seeds.mix(Fingerprint(key).hash) >> UInt(shift))
  }

  private func read<R, F: Error>(
    _ key: Key, _ body: (borrowing [Key: Value]) throws(F) -> R
  ) throws(F) -> R {
    Exclusion.checkNotHeld(self)
    return try stripes[index(of: key)].read(body)
  }

  private func write<R, F: Error>(
    _ key: Key, _ body: (inout [Key: Value]) throws(F) -> R
  ) throws(F) -> R {
    Exclusion.checkNotHeld(self)
    return try stripes[index(of: key)].write(body)
  }
}

// @unchecked: the locks alone reach the values; keys and values are shared only if they may be.
extension StripedLockDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
