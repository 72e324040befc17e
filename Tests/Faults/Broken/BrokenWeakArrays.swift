import Dispatch
import Primitives
import StressTesting
import WeakCollections

/// The real weak array behind a mutex. Each subclass has a fault in one operation.
// @unchecked: the array and all properties of the subclasses are Sendable.
class WrappedWeakArray: SynchronousWeakArray, ConcurrentWeakArray, @unchecked Sendable {
  private let array = MutexWeakArray<StressObject>()

  required init() {}

  @discardableResult
  func append(_ element: StressObject) -> Int { array.append(element) }

  var all: [StressObject] { array.all }

  var count: Int { array.count }

  var entryCount: Int { array.entryCount }

  func forEach<F: Error>(_ body: (StressObject) throws(F) -> Void) throws(F) {
    try array.forEach(body)
  }

  func contains(_ element: StressObject) -> Bool { array.contains(element) }

  @discardableResult
  func remove(_ element: StressObject) -> Bool { array.remove(element) }

  func removeAll() { array.removeAll() }

  @discardableResult
  func compact() -> Int { array.compact() }
}

/// A minimal correct weak array: a list behind a mutex. Each subclass has a fault in one operation
/// that the storage of the real array does not permit.
// @unchecked: `list` is the only shared state, and it is a lock.
class ListedWeakArray: SynchronousWeakArray, ConcurrentWeakArray, @unchecked Sendable {
  struct List {
    var references: [WeakReference<StressObject>] = []
    /// The number of entries at which an append compacts first.
    var limit = 64

    /// Drops dead entries. The caller must release `promoted` outside the lock.
    mutating func compact(promoted: inout [StressObject?]) {
      promoted = references.map { $0.promote() }
      references = zip(references, promoted).compactMap { $1 == nil ? nil : $0 }
      limit = 2 * references.count + 64
    }

    func firstIndex(of element: StressObject) -> Int? {
      references.firstIndex { $0.refers(to: element) }
    }
  }

  let list = MutexLock(List())

  required init() {}

  @discardableResult
  func append(_ element: StressObject) -> Int {
    var promoted: [StressObject?] = []
    return list.write { list in
      if list.references.count >= list.limit { list.compact(promoted: &promoted) }
      list.references.append(WeakReference(element))
      return list.references.count
    }
  }

  var all: [StressObject] { list.read { $0.references.compactMap { $0.promote() } } }

  var entryCount: Int { list.read { $0.references.count } }

  func contains(_ element: StressObject) -> Bool { list.read { $0.firstIndex(of: element) != nil } }

  @discardableResult
  func remove(_ element: StressObject) -> Bool {
    list.write { list in
      guard let index = list.firstIndex(of: element) else { return false }
      list.references.remove(at: index)
      return true
    }
  }

  func removeAll() { list.write { $0 = List() } }

  @discardableResult
  func compact() -> Int {
    var promoted: [StressObject?] = []
    return list.write { list in
      let count = list.references.count
      list.compact(promoted: &promoted)
      return count - list.references.count
    }
  }
}

/// The published array: entries of dead elements stay indefinitely.
final class NeverCompactingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: StressObject) -> Int {
    list.write { list in
      list.references.append(WeakReference(element))
      return list.references.count
    }
  }
}

/// Growth copies the entries outside the lock, so concurrent appends are lost.
final class AppendLosingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: StressObject) -> Int {
    var grown = list.read { copy $0 }
    grown.references.append(WeakReference(element))
    list.write { $0 = grown }
    return grown.references.count
  }
}

/// Compaction copies the entries outside the lock and keeps concurrent appends. Entries that are
/// removed concurrently reappear.
final class RemovalLosingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func compact() -> Int {
    let old = list.read { copy $0 }
    var kept = old
    var promoted: [StressObject?] = []
    kept.compact(promoted: &promoted)
    let dropped = old.references.count - kept.references.count
    kept.references += list.read { $0.references.dropFirst(old.references.count) }
    list.write { $0 = kept }
    return dropped
  }
}

/// `append` reads the number that it returns after the append, in a separate step.
final class LateNumberWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: StressObject) -> Int {
    super.append(element)
    return entryCount
  }
}

/// `remove` searches in one step and removes in another, so two calls may remove the same entry.
final class TwiceRemovingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func remove(_ element: StressObject) -> Bool {
    guard contains(element) else { return false }
    super.remove(element)
    return true
  }
}

/// Removal replaces the entry with the last one, so the order of the appends is lost.
final class SwapRemovingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func remove(_ element: StressObject) -> Bool {
    list.write { list in
      guard let index = list.firstIndex(of: element) else { return false }
      list.references.swapAt(index, list.references.count - 1)
      list.references.removeLast()
      return true
    }
  }
}

/// `remove` removes the latest entry of an object instead of the earliest.
final class LatestRemovingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func remove(_ element: StressObject) -> Bool {
    list.write { list in
      guard let index = list.references.lastIndex(where: { $0.refers(to: element) }) else {
        return false
      }
      list.references.remove(at: index)
      return true
    }
  }
}

/// `append` ignores an element that already has an entry.
final class DuplicateLosingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: StressObject) -> Int {
    contains(element) ? entryCount : super.append(element)
  }
}

/// Caches its latest snapshot, whose strong references keep the elements alive.
final class SnapshotKeepingWeakArray: WrappedWeakArray, @unchecked Sendable {
  private let kept = MutexLock<[StressObject]>([])

  override var all: [StressObject] {
    let new = super.all
    let old = kept.write { kept in
      defer { kept = new }
      return kept
    }
    return withExtendedLifetime(old) { new }
  }
}

/// Keeps the element that was appended last alive until the next append.
final class TailKeepingWeakArray: WrappedWeakArray, @unchecked Sendable {
  private let tail = MutexLock<StressObject?>(nil)

  override func append(_ element: StressObject) -> Int {
    let old = tail.write { tail in
      defer { tail = element }
      return tail
    }
    return withExtendedLifetime(old) { super.append(element) }
  }
}

/// `count` is the number of entries, which includes dead elements.
final class EntryCountingWeakArray: WrappedWeakArray, @unchecked Sendable {
  override var count: Int { entryCount }
}

/// The published `append`: a block that may be pending when the caller continues, and that keeps
/// the element alive.
final class PendingAppendWeakArray: WrappedWeakArray, @unchecked Sendable {
  private let queue = DispatchQueue(label: "pending-append")

  override func append(_ element: StressObject) -> Int {
    queue.async { super.append(element) }
    return entryCount + 1
  }
}
