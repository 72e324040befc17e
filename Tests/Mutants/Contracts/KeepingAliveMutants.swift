import Primitives
import StressTesting
import WeakCollections

/// Keeps its last snapshot, and with it the elements alive: a cache of strong references.
final class SnapshotKeepingWeakArray: WrappedWeakArray, @unchecked Sendable {
  private let kept = MutexLock<[Tracked]>([])

  override var all: [Tracked] {
    let new = super.all
    let old = kept.write { kept in
      defer { kept = new }
      return kept
    }
    return withExtendedLifetime(old) { new }
  }
}

/// Holds the element appended last, until another comes.
final class TailKeepingWeakArray: WrappedWeakArray, @unchecked Sendable {
  private let tail = MutexLock<Tracked?>(nil)

  override func append(_ element: Tracked) -> Int {
    let old = tail.write { tail in
      defer { tail = element }
      return tail
    }
    return withExtendedLifetime(old) { super.append(element) }
  }
}

/// `count` is that of the entries: dead elements are counted as if they lived.
final class EntryCountingWeakArray: WrappedWeakArray, @unchecked Sendable {
  override var count: Int { entryCount }
}
