import Primitives
import StressTesting
import WeakCollections

/// The real dictionary behind a mutex, of which each fault breaks one operation.
// @unchecked: the dictionary is Sendable, and so is whatever a fault adds.
class WrappedDictionary: SynchronousDictionary, ConcurrentDictionary, @unchecked Sendable {
  private let dictionary = MutexDictionary<StressKey, StressObject>()

  required init() {}

  func value(forKey key: StressKey) -> StressObject? { dictionary.value(forKey: key) }

  func setValue(_ value: StressObject, forKey key: StressKey) {
    dictionary.setValue(value, forKey: key)
  }

  @discardableResult
  func removeValue(forKey key: StressKey) -> StressObject? { dictionary.removeValue(forKey: key) }

  func value<F: Error>(
    forKey key: StressKey, orInsert makeValue: () throws(F) -> StressObject
  ) throws(F) -> StressObject {
    try dictionary.value(forKey: key, orInsert: makeValue)
  }

  func update<R, F: Error>(
    _ key: StressKey, _ body: (inout StressObject?) throws(F) -> R
  ) throws(F) -> R {
    try dictionary.update(key, body)
  }

  var count: Int { dictionary.count }

  var snapshot: [StressKey: StressObject] { dictionary.snapshot }

  func forEach<F: Error>(_ body: (StressKey, StressObject) throws(F) -> Void) throws(F) {
    try dictionary.forEach(body)
  }

  func removeAll() { dictionary.removeAll() }
}

/// The published get-or-insert: it looks in one step and sets in another, so that of two threads
/// that find nothing each sets a value of its own, and returns it.
final class CheckThenActDictionary: WrappedDictionary, @unchecked Sendable {
  override func value<F: Error>(
    forKey key: StressKey, orInsert makeValue: () throws(F) -> StressObject
  ) throws(F) -> StressObject {
    if let present = value(forKey: key) { return present }
    let made = try makeValue()
    setValue(made, forKey: key)
    return made
  }
}

/// Get-or-insert inserts in one step, but a loser returns the value that it had made.
final class LoserKeepsItsOwnDictionary: WrappedDictionary, @unchecked Sendable {
  override func value<F: Error>(
    forKey key: StressKey, orInsert makeValue: () throws(F) -> StressObject
  ) throws(F) -> StressObject {
    if let present = value(forKey: key) { return present }
    let made = try makeValue()
    _ = super.value(forKey: key, orInsert: { made })
    return made
  }
}

/// `update` reads, runs its body and writes in three steps: of two updates one may be lost.
final class TornUpdateDictionary: WrappedDictionary, @unchecked Sendable {
  override func update<R, F: Error>(
    _ key: StressKey, _ body: (inout StressObject?) throws(F) -> R
  ) throws(F) -> R {
    var value = value(forKey: key)
    let result = try body(&value)
    self[key] = value
    return result
  }
}

/// `removeValue` reads in one step and removes in another: two threads may both get the value.
final class TwiceRemovingDictionary: WrappedDictionary, @unchecked Sendable {
  override func removeValue(forKey key: StressKey) -> StressObject? {
    guard let value = value(forKey: key) else { return nil }
    super.removeValue(forKey: key)
    return value
  }
}

/// `removeAll` leaves the key that it comes to last.
final class ForgetfulDictionary: WrappedDictionary, @unchecked Sendable {
  override func removeAll() {
    for key in snapshot.keys.sorted(by: { $0.number < $1.number }).dropLast() {
      removeValue(forKey: key)
    }
  }
}

/// `count` is the highest that there ever was.
final class NeverFallingCountDictionary: WrappedDictionary, @unchecked Sendable {
  private let highest = MutexLock(0)

  override var count: Int {
    let now = super.count
    return highest.write { highest in
      highest = max(highest, now)
      return highest
    }
  }
}

/// A snapshot is kept and given out again while there are as many keys as there were.
final class StaleSnapshotDictionary: WrappedDictionary, @unchecked Sendable {
  private let kept = MutexLock<[StressKey: StressObject]>([:])

  override var snapshot: [StressKey: StressObject] {
    let old = kept.read { copy $0 }
    if !old.isEmpty && old.count == count { return old }
    let new = super.snapshot
    // Returned, so that the old one is released outside.
    let replaced = kept.write { kept in
      defer { kept = new }
      return kept
    }
    return withExtendedLifetime(replaced) { new }
  }
}

/// The real actor, but get-or-insert suspends between its look and its act: the actor is
/// re-entrant, and serves others in between.
actor ReentrantActorDictionary: ConcurrentDictionary {
  private let dictionary = ActorDictionary<StressKey, StressObject>()

  nonisolated func value<F: Error>(
    forKey key: StressKey, orInsert makeValue: @Sendable () throws(F) -> StressObject
  ) async throws(F) -> StressObject {
    if let present = await dictionary.value(forKey: key) { return present }
    let made = try makeValue()
    await Task.yield()
    await dictionary.setValue(made, forKey: key)
    return made
  }

  nonisolated func value(forKey key: StressKey) async -> StressObject? {
    await dictionary.value(forKey: key)
  }

  nonisolated func setValue(_ value: StressObject, forKey key: StressKey) async {
    await dictionary.setValue(value, forKey: key)
  }

  @discardableResult
  nonisolated func removeValue(forKey key: StressKey) async -> StressObject? {
    await dictionary.removeValue(forKey: key)
  }

  nonisolated func update<R: Sendable, F: Error>(
    _ key: StressKey, _ body: @Sendable (inout StressObject?) throws(F) -> R
  ) async throws(F) -> R {
    try await dictionary.update(key, body)
  }

  nonisolated var count: Int { get async { await dictionary.count } }

  nonisolated var snapshot: [StressKey: StressObject] { get async { await dictionary.snapshot } }

  nonisolated func removeAll() async { await dictionary.removeAll() }
}

/// The concurrent queue's lock with the barrier left out: writers run beside readers and each
/// other.
///
/// Each changes a copy of its own and then stores it, so that what is lost is an update, not
/// memory.
struct BarrierlessLock<Value>: ValueLock, ~Copyable {
  private let lock: MutexLock<Value>

  init(_ value: consuming Value) { lock = MutexLock(value) }

  borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    try body(lock.read { copy $0 })
  }

  borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    var new = lock.read { copy $0 }
    let result = try body(&new)
    // Returned, so that the old value is released outside.
    _ = lock.write { value in
      defer { value = new }
      return value
    }
    return result
  }
}

// @unchecked: the value is reached only through the lock.
extension BarrierlessLock: @unchecked Sendable where Value: Sendable {}
