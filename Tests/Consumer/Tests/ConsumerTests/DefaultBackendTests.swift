import Testing
import WeakCollections

/// What the published names mean, under each backend trait and under none.
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

  private typealias Expected = (
    backend: Backend?, array: Any.Type, dictionary: Any.Type, set: Any.Type
  )

  private static var expected: Expected {
    #if BarrierQueueBackend
      (
        .barrierQueue, BarrierQueueWeakArray<Listener>.self, BarrierQueueDictionary<Int, Int>.self,
        BarrierQueueWeakSet<Listener>.self
      )
    #elseif MutexBackend
      (
        .mutex, MutexWeakArray<Listener>.self, MutexDictionary<Int, Int>.self,
        MutexWeakSet<Listener>.self
      )
    #elseif ReadWriteLockBackend
      (
        .readWriteLock, ReadWriteLockWeakArray<Listener>.self,
        ReadWriteLockDictionary<Int, Int>.self, ReadWriteLockWeakSet<Listener>.self
      )
    #elseif ActorBackend
      (
        .actor, LockFreeWeakArray<Listener>.self, LockFreeDictionary<Int, Int>.self,
        LockFreeWeakSet<Listener>.self
      )
    #elseif AdaptiveLockBackend
      (
        .adaptiveLock, AdaptiveLockWeakArray<Listener>.self, AdaptiveLockDictionary<Int, Int>.self,
        AdaptiveLockWeakSet<Listener>.self
      )
    #elseif StripedLockBackend
      (
        .stripedLock, AdaptiveLockWeakArray<Listener>.self, StripedLockDictionary<Int, Int>.self,
        AdaptiveLockWeakSet<Listener>.self
      )
    #elseif BucketLockBackend
      (
        .bucketLock, LockFreeWeakArray<Listener>.self, BucketLockDictionary<Int, Int>.self,
        LockFreeWeakSet<Listener>.self
      )
    #elseif LockFreeBackend
      (
        .lockFree, LockFreeWeakArray<Listener>.self, LockFreeDictionary<Int, Int>.self,
        LockFreeWeakSet<Listener>.self
      )
    #else
      (
        nil, LockFreeWeakArray<Listener>.self, LockFreeDictionary<Int, Int>.self,
        LockFreeWeakSet<Listener>.self
      )
    #endif
  }

  @Test func `the trait is what the library says that it is`() {
    #expect(Backend.selectedByTrait == Self.expected.backend)
  }

  @Test func `the Atomic names are the types of the backend that the trait selects`() {
    #expect(AtomicWeakArray<Listener>.self == Self.expected.array)
    #expect(AtomicDictionary<Int, Int>.self == Self.expected.dictionary)
    #expect(AtomicWeakSet<Listener>.self == Self.expected.set)
  }

  @Test func `the Atomic names stay synchronous, and ofAtomicNames names their backend`()
    async throws
  {
    let array: any SynchronousWeakArray<Listener> = AtomicWeakArray<Listener>()
    let dictionary: any SynchronousDictionary<Int, Int> = AtomicDictionary<Int, Int>()
    let backend = Backend.ofAtomicNames
    #expect(backend.isSynchronous)
    #expect(
      try await Backend.ofAtomicName(of: .weakArray)
        .withWeakArray(IsOfType<Listener>(actual: type(of: array))))
    #expect(
      try await backend.withDictionary(IsOfDictionaryType<Int, Int>(actual: type(of: dictionary))))
  }

  @Test func `the factories follow the trait, the actor included`() async throws {
    let array = makeWeakArray(of: Listener.self)
    let dictionary = makeDictionary(from: Int.self, to: Int.self)
    let backend = Backend.ofFactories
    #expect(backend == Self.expected.backend ?? Backend.standard)
    let ofArrays = backend == .actor ? backend : Backend.ofAtomicName(of: .weakArray)
    #expect(try await ofArrays.withWeakArray(IsOfType<Listener>(actual: type(of: array))))
    #expect(
      try await backend.withDictionary(IsOfDictionaryType<Int, Int>(actual: type(of: dictionary))))
    let listener = Listener()
    #expect(await array.append(listener) == 1)
    await dictionary.setValue(1, forKey: 1)
    #expect(await dictionary.value(forKey: 1) == 1)
    withExtendedLifetime(listener) {}
  }
}
