import Dispatch
import WeakCollections

/// The article's box: a `weak` variable, and with it a side table for its object.
///
/// Its own, so that the design costs what it costs where it was published, whatever ours becomes.
final class PublishedWeakObject<Element: AnyObject & Sendable>: Sendable {
  weak let value: Element?

  init(_ value: Element) {
    self.value = value
  }
}

/// The article's weak array behind a concurrent queue, with its defects: a pending append keeps its
/// element alive, dead entries stay for ever, and `forEach` runs its body on the queue.
final class PublishedAtomicWeakArray<Element: AnyObject & Sendable>: @unchecked Sendable {
  // @unchecked: `objects` is touched only on `queue`, and written only by barriers.
  private let queue = DispatchQueue(label: "published-weak-array", attributes: .concurrent)
  private var objects: [PublishedWeakObject<Element>] = []

  init() {}

  var all: [Element] { queue.sync { objects.compactMap { $0.value } } }

  func append(_ element: Element) {
    queue.async(flags: .barrier) { self.objects.append(PublishedWeakObject(element)) }
  }

  func removeAll() {
    queue.async(flags: .barrier) { self.objects.removeAll() }
  }

  func forEach(_ body: (Element) throws -> Void) rethrows {
    try queue.sync { try objects.compactMap { $0.value }.forEach(body) }
  }

  var count: Int { all.count }

  /// The entries, dead ones included; not part of the published design.
  var entryCount: Int { queue.sync { objects.count } }
}

/// The article's dictionary behind a concurrent queue, with its defects: a write is a pending block, so
/// others may read on for a while as if it had not happened, and the default is looked for in one step
/// and set in another, so that two threads may each keep a default of their own.
final class PublishedAtomicDictionary<Key: Hashable & Sendable, Value: Sendable> {
  private let queue = DispatchQueue(label: "published-dictionary", attributes: .concurrent)
  private var values: [Key: Value] = [:]

  init() {}

  subscript(key: Key) -> Value? {
    get { queue.sync { values[key] } }
    set { queue.async(flags: .barrier) { self.values[key] = newValue } }
  }

  subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get {
      if let value = self[key] { return value }
      let value = defaultValue()
      self[key] = value
      return value
    }
    set { self[key] = newValue }
  }

  var snapshot: [Key: Value] { queue.sync { values } }
}

// @unchecked: `values` is touched only on `queue`, and written only by barriers.
extension PublishedAtomicDictionary: @unchecked Sendable {}

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
