import StressTesting
import WeakCollections

/// A weak array as short as one can be, and right: a list behind a mutex. Each mutant breaks one operation
/// in which the real one's storage would not let it.
// @unchecked: `list` alone is shared, and it is a lock.
class ListedWeakArray: SynchronousWeakArray, @unchecked Sendable {
  struct List {
    var references: [WeakReference<Tracked>] = []
    /// Reaching it makes the next append compact first.
    var limit = 64

    /// Drops dead entries; what it promotes is to be released outside the lock.
    mutating func compact(promoted: inout [Tracked?]) {
      promoted = references.map { $0.promote() }
      references = zip(references, promoted).compactMap { $1 == nil ? nil : $0 }
      limit = 2 * references.count + 64
    }

    func firstIndex(of element: Tracked) -> Int? {
      references.firstIndex { $0.refers(to: element) }
    }
  }

  let list = MutexLock(List())

  required init() {}

  @discardableResult
  func append(_ element: Tracked) -> Int {
    var promoted: [Tracked?] = []
    return list.write { list in
      if list.references.count >= list.limit { list.compact(promoted: &promoted) }
      list.references.append(WeakReference(element))
      return list.references.count
    }
  }

  var all: [Tracked] { list.read { $0.references.compactMap { $0.promote() } } }

  var entryCount: Int { list.read { $0.references.count } }

  func contains(_ element: Tracked) -> Bool { list.read { $0.firstIndex(of: element) != nil } }

  @discardableResult
  func remove(_ element: Tracked) -> Bool {
    list.write { list in
      guard let index = list.firstIndex(of: element) else { return false }
      list.references.remove(at: index)
      return true
    }
  }

  func removeAll() { list.write { $0 = List() } }

  @discardableResult
  func compact() -> Int {
    var promoted: [Tracked?] = []
    return list.write { list in
      let count = list.references.count
      list.compact(promoted: &promoted)
      return count - list.references.count
    }
  }
}
