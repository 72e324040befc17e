import WeakCollections

// Types of objects for the tests of weak references.

protocol Named: AnyObject, Sendable {
  var name: String { get }
}
protocol Aged: AnyObject, Sendable {
  var age: Int { get }
}
protocol Sized: AnyObject, Sendable {
  var size: Int { get }
}
protocol Source<Output>: AnyObject, Sendable {
  associatedtype Output
  func next() -> Output
}
/// A protocol that is not bound to `AnyObject`.
protocol Unbound {}

// @unchecked: immutable, but a class with subclasses cannot be checked.
class Base: @unchecked Sendable {
  let label: String
  init(_ label: String) { self.label = label }
}

// @unchecked: restated from `Base`; immutable.
final class Person: Base, Named, Aged, Sized, Source, Unbound, @unchecked Sendable {
  var name: String { label }
  let age = 41
  let size = 180
  func next() -> Int { 42 }
}

actor Clerk {
  let number = 7
}

typealias AnyWeakArray<Element> = any ConcurrentWeakArray<Element> & Sendable
typealias AnySynchronousWeakArray<Element> = any SynchronousWeakArray<Element> & Sendable
typealias AnyDictionary<Key, Value> = any ConcurrentDictionary<Key, Value> & Sendable
typealias AnySynchronousDictionary<Key, Value> = any SynchronousDictionary<Key, Value> & Sendable

typealias AnyWeakSet<Element> = any ConcurrentWeakSet<Element> & Sendable
typealias AnySynchronousWeakSet<Element> = any SynchronousWeakSet<Element> & Sendable

private struct MakeWeakArray<Element: Sendable>: WeakArrayVisitor {
  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws -> AnyWeakArray<
    Element
  >
  where A.Element == Element { A() }
}

private struct MakeDictionary<Key: Hashable & Sendable, Value: Sendable>: DictionaryVisitor {
  func visit<D: ConcurrentDictionary & Sendable>(
    _ type: D.Type
  ) async throws -> AnyDictionary<Key, Value>
  where D.Key == Key, D.Value == Value { D() }
}

private struct MakeWeakSet<Element: Sendable>: WeakSetVisitor {
  func visit<S: ConcurrentWeakSet & Sendable>(_ type: S.Type) async throws -> AnyWeakSet<Element>
  where S.Element == Element { S() }
}

extension Backend {
  static func synchronous(_ collection: CollectionKind) -> [Backend] {
    supporting(collection).filter(\.isSynchronous)
  }

  /// Whether the backend releases removed keys and values by epoch-based reclamation.
  var reclaimsByEpoch: Bool { self == .lockFree || self == .bucketLock }

  /// An empty weak array of this backend.
  func weakArray<Element: Sendable>(
    of element: Element.Type
  ) async throws -> AnyWeakArray<Element> {
    try await withWeakArray(MakeWeakArray<Element>())
  }

  func synchronousWeakArray<Element: Sendable>(
    of element: Element.Type
  ) async throws -> AnySynchronousWeakArray<Element> {
    try await weakArray(of: element) as! AnySynchronousWeakArray<Element>
  }

  /// An empty weak set of this backend.
  func weakSet<Element: Sendable>(of element: Element.Type) async throws -> AnyWeakSet<Element> {
    try await withWeakSet(MakeWeakSet<Element>())
  }

  func synchronousWeakSet<Element: Sendable>(
    of element: Element.Type
  ) async throws -> AnySynchronousWeakSet<Element> {
    try await weakSet(of: element) as! AnySynchronousWeakSet<Element>
  }

  /// An empty dictionary of this backend.
  func dictionary<Key: Hashable & Sendable, Value: Sendable>(
    from key: Key.Type, to value: Value.Type
  ) async throws -> AnyDictionary<Key, Value> {
    try await withDictionary(MakeDictionary<Key, Value>())
  }

  func synchronousDictionary<Key: Hashable & Sendable, Value: Sendable>(
    from key: Key.Type, to value: Value.Type
  ) async throws -> AnySynchronousDictionary<Key, Value> {
    try await dictionary(from: key, to: value) as! AnySynchronousDictionary<Key, Value>
  }
}
