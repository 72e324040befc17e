import StressTesting
import WeakCollections

/// The real weak array behind a mutex, of which each mutant breaks one operation.
// @unchecked: the array is Sendable, and so is whatever a mutant adds.
class WrappedWeakArray: SynchronousWeakArray, @unchecked Sendable {
  private let array = MutexWeakArray<Tracked>()

  required init() {}

  @discardableResult
  func append(_ element: Tracked) -> Int { array.append(element) }

  var all: [Tracked] { array.all }

  var count: Int { array.count }

  var entryCount: Int { array.entryCount }

  func forEach<F: Error>(_ body: (Tracked) throws(F) -> Void) throws(F) {
    try array.forEach(body)
  }

  func contains(_ element: Tracked) -> Bool { array.contains(element) }

  @discardableResult
  func remove(_ element: Tracked) -> Bool { array.remove(element) }

  func removeAll() { array.removeAll() }

  @discardableResult
  func compact() -> Int { array.compact() }
}
