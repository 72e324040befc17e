import Dispatch
import WeakCollections

/// The article's box: a `weak` variable, which gives its object a side table.
///
/// It is a copy, so that the cost of the published design does not change with this package's box.
final class PublishedWeakObject<Element: AnyObject & Sendable>: Sendable {
  weak let value: Element?

  init(_ value: Element) {
    self.value = value
  }
}

/// The article's weak array behind a concurrent queue, with its defects: a pending append keeps its
/// element alive, dead entries stay indefinitely, and `forEach` runs its body on the queue.
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

  /// The number of entries, dead ones included; not part of the published design.
  var entryCount: Int { queue.sync { objects.count } }
}

/// The article's dictionary behind a concurrent queue, with its defects.
///
/// A write is a pending block, so other threads may still read the old value for a while. The
/// subscript with a default checks for the key in one step and sets the default in another, so two
/// threads may each get their own default.
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

// The published designs lack operations that the protocols require. Calling one traps;
// `Contestant.supports` excludes every workload that would.

/// An adapter that gives the published weak array the package's protocol.
final class PublishedWeakArrayAdapter: SynchronousWeakArray, ConcurrentWeakArray, Sendable {
  private let array = PublishedAtomicWeakArray<Member>()

  func append(_ element: Member) -> Int {
    array.append(element)
    return 0  // The published append returns nothing.
  }

  var all: [Member] { array.all }
  var entryCount: Int { array.entryCount }
  func contains(_ element: Member) -> Bool { array.all.contains { $0 === element } }
  func removeAll() { array.removeAll() }

  func remove(_ element: Member) -> Bool {
    fatalError(
      "the published weak array has no remove; choose a workload that `supports(_:)` accepts")
  }

  func compact() -> Int {
    fatalError(
      "the published weak array has no compact; choose a workload that `supports(_:)` accepts")
  }
}

/// An adapter that gives the published dictionary the package's protocol.
final class PublishedDictionaryAdapter<Key: Hashable & Sendable, Value: Sendable>:
  SynchronousDictionary, ConcurrentDictionary, Sendable
{
  private let dictionary = PublishedAtomicDictionary<Key, Value>()

  func value(forKey key: Key) -> Value? { dictionary[key] }
  func setValue(_ value: Value, forKey key: Key) { dictionary[key] = value }

  func removeValue(forKey key: Key) -> Value? {
    dictionary[key] = nil
    return nil  // The published removal returns nothing.
  }

  func value<F: Error>(
    forKey key: Key, orInsert makeValue: () throws(F) -> Value
  ) throws(F) -> Value {
    // The steps of the published subscript with a default, whose default cannot throw.
    if let present = dictionary[key] { return present }
    let made = try makeValue()
    dictionary[key] = made
    return made
  }

  func update<R, F: Error>(_ key: Key, _ body: (inout Value?) throws(F) -> R) throws(F) -> R {
    fatalError(
      "the published dictionary has no update; choose a workload that `supports(_:)` accepts")
  }

  var count: Int { dictionary.snapshot.count }
  var snapshot: [Key: Value] { dictionary.snapshot }

  func removeAll() {
    for key in snapshot.keys { dictionary[key] = nil }
  }
}
