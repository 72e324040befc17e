import WeakCollections

/// A weak array that does nothing: timing it times the benchmark.
final class EmptyWeakArray: SynchronousWeakArray, Sendable {
  typealias Element = Member

  func append(_ element: Member) -> Int { 0 }
  var all: [Member] { [] }
  var count: Int { 0 }
  var entryCount: Int { 0 }
  func contains(_ element: Member) -> Bool { true }
  func remove(_ element: Member) -> Bool { true }
  func removeAll() {}
  func compact() -> Int { 0 }
}
