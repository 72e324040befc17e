import Testing
import WeakCollections

final class Listener {}

@Suite struct ConsumerTests {
  @Test func `the trait in the manifest selects the backend`() {
    #expect(Backend.selectedByTrait == .mutex)
    #expect(Backend.ofAtomicNames == .mutex)
    #expect(Backend.ofFactories == .mutex)
  }

  @Test func `the published names are the mutex's types`() {
    #expect(AtomicDictionary<Int, Int>.self == MutexDictionary<Int, Int>.self)
    #expect(AtomicWeakArray<Listener>.self == MutexWeakArray<Listener>.self)
  }

  @Test func `a weak array does not keep its elements alive`() {
    let listeners = AtomicWeakArray<Listener>()
    let kept = Listener()
    listeners.append(kept)
    do {
      let dropped = Listener()
      withExtendedLifetime(dropped) { _ = listeners.append(dropped) }
    }
    #expect(listeners.all.map(ObjectIdentifier.init) == [ObjectIdentifier(kept)])
  }
}
