import WeakCollections

/// A weak set that does nothing: timing it times the benchmark.
final class EmptyWeakSet: SynchronousWeakSet, Sendable {
  typealias Element = Member

  func insert(_ element: Member) -> (inserted: Bool, entries: Int) { (true, 0) }
  func contains(_ element: Member) -> Bool { true }
  func remove(_ element: Member) -> Bool { true }
  var all: [Member] { [] }
  var entryCount: Int { 0 }
  func removeAll() {}
  func compact() -> Int { 0 }
  func compact(atLeast goal: Int) -> Int { 0 }
}
