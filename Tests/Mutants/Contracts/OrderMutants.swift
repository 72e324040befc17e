import Primitives
import StressTesting
import WeakCollections

/// Removal fills the hole with the last entry: the order of appending is lost.
final class SwapRemovingWeakArray: ListedWeakArray, @unchecked Sendable {
  override func remove(_ element: Tracked) -> Bool {
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
  override func remove(_ element: Tracked) -> Bool {
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
  override func append(_ element: Tracked) -> Int {
    contains(element) ? entryCount : super.append(element)
  }
}
