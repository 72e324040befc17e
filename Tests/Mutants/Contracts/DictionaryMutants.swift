import Primitives
import StressTesting
import WeakCollections

/// `update` reads, runs its body and writes in three steps: of two updates one may be lost.
final class TornUpdateDictionary: WrappedDictionary, @unchecked Sendable {
  override func update<R, F: Error>(
    _ key: StressKey, _ body: (inout Tracked?) throws(F) -> R
  ) throws(F) -> R {
    var value = value(forKey: key)
    let result = try body(&value)
    self[key] = value
    return result
  }
}

/// `removeValue` reads in one step and removes in another: two threads may both get the value.
final class TwiceRemovingDictionary: WrappedDictionary, @unchecked Sendable {
  override func removeValue(forKey key: StressKey) -> Tracked? {
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
  private let kept = MutexLock<[StressKey: Tracked]>([:])

  override var snapshot: [StressKey: Tracked] {
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
