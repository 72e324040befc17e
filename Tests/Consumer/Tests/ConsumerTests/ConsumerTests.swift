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
    #expect(await call(MutexDictionary()) == 74)
    #expect(await call(MutexWeakArray(), listener) == 4)
    #expect(await call(MutexWeakSet(), listener) == 4)
    #expect(await call(MutexWeakValueDictionary(), listener) == 13)
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

/// What a caller's mistake prints before it ends the process, also in a release build.
@Suite struct TrapTests {
  private func message(_ result: ExitTest.Result?) throws -> String {
    String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
  }

  @Test func `a key that occurs twice`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { _ = AtomicDictionary(uniqueKeysWithValues: [("a", 1), ("a", 2)]) }
    #expect(try message(result).contains("the key a occurs twice; keys must be unique"))
  }

  @Test func `an element that is no object`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { _ = AtomicWeakArray<String>() }
    #expect(
      try message(result).contains(
        "String is not a reference type; use a class, an actor or a class-bound protocol"))
  }

  @Test func `a write inside update`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let dictionary = AtomicDictionary<Int, Int>()
      dictionary.update(1) { _ in dictionary[1] = 2 }
    }
    #expect(
      try message(result).contains(
        "the closure of update or withValue used its own collection; use the closure's parameter"))
  }

  @Test func `a backend that has no weak array`() async throws {
    struct Visitor: WeakArrayVisitor {
      typealias Element = Listener
      func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws {}
    }
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { try await Backend.stripedLock.withWeakArray(Visitor()) }
    #expect(
      try message(result).contains(
        "striped-lock has no weak array; use one of supporting(.weakArray)"))
  }
}
