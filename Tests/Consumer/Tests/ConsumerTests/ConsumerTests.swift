import Testing
import WeakCollections

@Suite struct ConsumerTests {
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

  @Test func `asynchronous code calls synchronous collections without await`() async {
    let listener = Listener()
    #expect(await call(MutexDictionary()) == 40)
    #expect(await call(MutexWeakArray(), listener) == 4)
    #expect(await call(MutexWeakSet(), listener) == 4)
    #expect(await call(MutexWeakValueDictionary(), listener) == 10)
    #expect(await Caller().call(listener) == 3)
  }

  /// An optimizer that loses sight of an object in the array puts it on the stack, with others
  /// after it in the same place. (`scripts/test-backends` runs this optimized.)
  @Test func `what nothing but an array refers to is dead, and not on the stack`() {
    let arrays = (LockFreeWeakArray<Listener>(), MutexWeakArray<Listener>())
    var references: [WeakReference<Listener>] = []
    for _ in 0..<1000 {
      arrays.0.append(Listener())
      arrays.1.append(Listener())
      references.append(WeakReference(Listener()))
    }
    #expect(arrays.0.all.isEmpty && arrays.1.all.isEmpty)
    #expect(arrays.0.entryCount <= 64 && arrays.1.entryCount <= 64)
    #expect(references.allSatisfy { $0.promote() == nil })
  }

  @Test func `nor is what is referred to by a protocol that it conforms to`() {
    let arrays = (LockFreeWeakArray<any Hearing>(), MutexWeakArray<any Hearing>())
    var references: [WeakReference<any Hearing>] = []
    for _ in 0..<1000 {
      arrays.0.append(Listener())
      arrays.1.append(Listener())
      references.append(WeakReference(Listener() as any Hearing))
    }
    #expect(arrays.0.all.isEmpty && arrays.1.all.isEmpty)
    #expect(arrays.0.entryCount <= 64 && arrays.1.entryCount <= 64)
    #expect(references.allSatisfy { $0.promote() == nil })
  }
}
