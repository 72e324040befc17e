import Dispatch
import Primitives
import StressTesting
import WeakCollections

/// The real weak array behind a mutex, of which each fault breaks one operation.
// @unchecked: the array is Sendable, and so is whatever a fault adds.
class WrappedWeakArray: SynchronousWeakArray, @unchecked Sendable {
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

/// A weak array as short as one can be, and right: a list behind a mutex. Each fault breaks one
/// operation in which the real one's storage would not let it.
// @unchecked: `list` alone is shared, and it is a lock.
class ListedWeakArray: SynchronousWeakArray, @unchecked Sendable {
  struct List {
    var references: [WeakReference<StressObject>] = []
    /// Reaching it makes the next append compact first.
    var limit = 64

    /// Drops dead entries; what it promotes is to be released outside the lock.
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

/// The published array: entries of dead elements stay for ever.
final class NeverCompactingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: StressObject) -> Int {
    list.write { list in
      list.references.append(WeakReference(element))
      return list.references.count
    }
  }
}

/// Growing copies the entries outside the lock: what others append meanwhile is lost.
final class AppendLosingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: StressObject) -> Int {
    var grown = list.read { copy $0 }
    grown.references.append(WeakReference(element))
    list.write { $0 = grown }
    return grown.references.count
  }
}

/// Compaction copies the entries outside the lock and keeps what was appended meanwhile: what was
/// removed meanwhile is there again.
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

/// The number that `append` returns is read after the append, in a step of its own.
final class LateNumberWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: StressObject) -> Int {
    super.append(element)
    return entryCount
  }
}

/// `remove` looks in one step and removes in another: one entry may be removed for two callers.
final class TwiceRemovingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func remove(_ element: StressObject) -> Bool {
    guard contains(element) else { return false }
    super.remove(element)
    return true
  }
}

/// Removal fills the hole with the last entry: the order of appending is lost.
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

/// Removes the latest entry of an object where the earliest is promised.
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

/// An element that is there already is not appended again.
final class DuplicateLosingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func append(_ element: StressObject) -> Int {
    contains(element) ? entryCount : super.append(element)
  }
}

/// Keeps its last snapshot, and with it the elements alive: a cache of strong references.
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

/// Holds the element appended last, until another comes.
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

/// `count` is that of the entries: dead elements are counted as if they lived.
final class EntryCountingWeakArray: WrappedWeakArray, @unchecked Sendable {
  override var count: Int { entryCount }
}

/// The published `append`: a block that is pending when the caller goes on, and keeps the element
/// alive.
final class PendingAppendWeakArray: WrappedWeakArray, @unchecked Sendable {
  private let queue = DispatchQueue(label: "pending-append")

  override func append(_ element: StressObject) -> Int {
    queue.async { super.append(element) }
    return entryCount + 1
  }
}
