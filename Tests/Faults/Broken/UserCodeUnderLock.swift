import Primitives
import StressTesting
import WeakCollections

/// A lock around whole writes: the value that a write replaces dies inside, and its `deinit` may
/// write.
final class DeinitUnderLockDictionary: WrappedDictionary, @unchecked Sendable {
  private let lock = MutexLock(())

  override func setValue(_ value: StressObject, forKey key: StressKey) {
    lock.write { _ in super.setValue(value, forKey: key) }
  }

  override func removeValue(forKey key: StressKey) -> StressObject? {
    lock.write { _ in super.removeValue(forKey: key) }
  }
}

/// The published `forEach`, whose body runs inside the lock.
final class VisitUnderLockDictionary: WrappedDictionary, @unchecked Sendable {
  private let lock = MutexLock(())

  override func removeValue(forKey key: StressKey) -> StressObject? {
    lock.write { _ in super.removeValue(forKey: key) }
  }

  override func forEach<F: Error>(
    _ body: (StressKey, StressObject) throws(F) -> Void
  ) throws(F) {
    try lock.read { _ throws(F) in try super.forEach(body) }
  }
}

/// The published `forEach`, whose body runs inside the lock.
final class VisitUnderLockWeakArray: WrappedWeakArray, @unchecked Sendable {
  private let lock = MutexLock(())

  override func compact() -> Int {
    lock.write { _ in super.compact() }
  }

  override func forEach<F: Error>(_ body: (StressObject) throws(F) -> Void) throws(F) {
    try lock.read { _ throws(F) in try super.forEach(body) }
  }
}
