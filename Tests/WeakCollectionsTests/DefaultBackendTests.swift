import Testing
import Threading
import WeakCollections

/// What the published names mean; passes under each backend trait and under none.
struct DefaultBackendTests {
  private struct IsOfType<Element: Sendable>: WeakArrayVisitor {
    let actual: Any.Type
    func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws -> Bool
    where A.Element == Element { actual == type }
  }

  private struct IsOfDictionaryType<Key: Hashable & Sendable, Value: Sendable>: DictionaryVisitor {
    let actual: Any.Type
    func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async throws -> Bool
    where D.Key == Key, D.Value == Value { actual == type }
  }

  private static var expected: Backend? {
    #if BarrierQueueBackend
      .barrierQueue
    #elseif MutexBackend
      .mutex
    #elseif ReadWriteLockBackend
      .readWriteLock
    #elseif ActorBackend
      .actor
    #elseif LockFreeBackend
      .lockFree
    #else
      nil
    #endif
  }

  @Test func `the trait is what the library says that it is`() {
    #expect(Backend.selectedByTrait == Self.expected)
  }

  @Test func `the Atomic names are the types of the backend that the trait selects`() {
    #if BarrierQueueBackend
      #expect(AtomicWeakArray<Counted>.self == BarrierQueueWeakArray<Counted>.self)
      #expect(AtomicDictionary<Int, Int>.self == BarrierQueueDictionary<Int, Int>.self)
    #elseif MutexBackend
      #expect(AtomicWeakArray<Counted>.self == MutexWeakArray<Counted>.self)
      #expect(AtomicDictionary<Int, Int>.self == MutexDictionary<Int, Int>.self)
    #elseif ReadWriteLockBackend
      #expect(AtomicWeakArray<Counted>.self == ReadWriteLockWeakArray<Counted>.self)
      #expect(AtomicDictionary<Int, Int>.self == ReadWriteLockDictionary<Int, Int>.self)
    #else
      #expect(AtomicWeakArray<Counted>.self == LockFreeWeakArray<Counted>.self)
      #expect(AtomicDictionary<Int, Int>.self == LockFreeDictionary<Int, Int>.self)
    #endif
  }

  @Test func `the Atomic names stay synchronous, and ofAtomicNames names their backend`()
    async throws
  {
    let array: any SynchronousWeakArray<Counted> = AtomicWeakArray<Counted>()
    let dictionary: any SynchronousDictionary<Int, Int> = AtomicDictionary<Int, Int>()
    let backend = Backend.ofAtomicNames
    #expect(backend.isSynchronous)
    #expect(try await backend.withWeakArray(IsOfType<Counted>(actual: type(of: array))))
    #expect(
      try await backend.withDictionary(IsOfDictionaryType<Int, Int>(actual: type(of: dictionary))))
  }

  @Test func `the factories follow the trait, the actor included`() async throws {
    let array = makeWeakArray(of: Counted.self)
    let dictionary = makeDictionary(from: Int.self, to: Int.self)
    let backend = Backend.ofFactories
    #expect(backend == Self.expected ?? Backend.standard)
    #expect(try await backend.withWeakArray(IsOfType<Counted>(actual: type(of: array))))
    #expect(
      try await backend.withDictionary(IsOfDictionaryType<Int, Int>(actual: type(of: dictionary))))
    let counted = Counted(1, in: Census())
    #expect(await array.append(counted) == 1)
    await dictionary.setValue(1, forKey: 1)
    #expect(await dictionary.value(forKey: 1) == 1)
  }

  @Test(arguments: Backend.allCases)
  func `a backend's type names and traits are those of its types`(_ backend: Backend) async throws {
    struct WeakArrayName: WeakArrayVisitor {
      typealias Element = Counted
      func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws -> String
      where A.Element == Counted { "\(type)" }
    }
    #expect(
      backend.trait == backend.typeName(for: .dictionary).replacing("Dictionary", with: "Backend"))
    let name = try await backend.withWeakArray(WeakArrayName())
    let alias = backend.typeName(for: .weakArray)
    // Lock-based ones are aliases of `LockedWeakArray` with their lock.
    #expect(name.hasPrefix(alias) || name.hasPrefix("LockedWeakArray<Counted, "))
  }
}
