import Primitives
import StressTesting
import WeakCollections

/// The published array: entries of dead elements stay for ever.
final class NeverCompactingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: Tracked) -> Int {
    list.write { list in
      list.references.append(WeakReference(element))
      return list.references.count
    }
  }
}

/// Growing copies the entries outside the lock: what others append meanwhile is lost.
final class AppendLosingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: Tracked) -> Int {
    var grown = list.read { copy $0 }
    grown.references.append(WeakReference(element))
    list.write { $0 = grown }
    return grown.references.count
  }
}

/// Compaction copies the entries outside the lock and keeps what was appended meanwhile: what was removed
/// meanwhile is there again.
final class RemovalLosingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func compact() -> Int {
    let old = list.read { copy $0 }
    var kept = old
    var promoted: [Tracked?] = []
    kept.compact(promoted: &promoted)
    let dropped = old.references.count - kept.references.count
    kept.references += list.read { $0.references.dropFirst(old.references.count) }
    list.write { $0 = kept }
    return dropped
  }
}

/// The number that `append` returns is read after the append, in a step of its own.
final class LateNumberWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: Tracked) -> Int {
    super.append(element)
    return entryCount
  }
}

/// `remove` looks in one step and removes in another: one entry may be removed for two callers.
final class TwiceRemovingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func remove(_ element: Tracked) -> Bool {
    guard contains(element) else { return false }
    super.remove(element)
    return true
  }
}
