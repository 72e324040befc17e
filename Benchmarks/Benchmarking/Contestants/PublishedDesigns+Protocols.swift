import PublishedDesigns
import WeakCollections

// The published designs lack operations that the protocols require. `Contestant.supports` keeps every
// workload away from them that would call one; calling one traps.

/// The published weak array, as the runner calls it.
final class PublishedWeakArrayAdapter: SynchronousWeakArray, Sendable {
  private let array = PublishedAtomicWeakArray<Member>()

  func append(_ element: Member) -> Int {
    array.append(element)
    return 0  // The published append says nothing.
  }

  var all: [Member] { array.all }
  var entryCount: Int { array.entryCount }
  func contains(_ element: Member) -> Bool { array.all.contains { $0 === element } }
  func removeAll() { array.removeAll() }

  func remove(_ element: Member) -> Bool {
    preconditionFailure("the published weak array cannot remove one element")
  }

  func compact() -> Int {
    preconditionFailure("the published weak array cannot compact")
  }
}

/// The published dictionary, as the runner calls it.
final class PublishedDictionaryAdapter<Key: Hashable & Sendable, Value: Sendable>:
  SynchronousDictionary, Sendable
{
  private let dictionary = PublishedAtomicDictionary<Key, Value>()

  func value(forKey key: Key) -> Value? { dictionary[key] }
  func setValue(_ value: Value, forKey key: Key) { dictionary[key] = value }

  func removeValue(forKey key: Key) -> Value? {
    dictionary[key] = nil
    return nil  // The published removal says nothing.
  }

  func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    dictionary[key, default: makeValue()]
  }

  func update<R, F: Error>(_ key: Key, _ body: (inout Value?) throws(F) -> R) throws(F) -> R {
    preconditionFailure("the published dictionary cannot update in one step")
  }

  var count: Int { dictionary.snapshot.count }
  var snapshot: [Key: Value] { dictionary.snapshot }

  func removeAll() {
    for key in snapshot.keys { dictionary[key] = nil }
  }
}
