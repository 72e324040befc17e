import EpochReclamation
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
  private struct Trap: Sendable {
    let line: String
    let provoke: @Sendable () async throws -> Void

    init(_ line: String, _ provoke: @escaping @Sendable () async throws -> Void) {
      self.line = line
      self.provoke = provoke
    }
  }

  private struct Visitor: WeakArrayVisitor, WeakSetVisitor {
    typealias Element = Listener
    func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws {}
    func visit<S: ConcurrentWeakSet & Sendable>(_ type: S.Type) async throws {}
  }

  private static let notAnObject =
    "String is not a reference type; use a class, an actor or a class-bound protocol"
  private static let itsOwnCollection =
    "the closure of update or withValue used its own collection; use the closure's parameter"

  private static let traps: [Trap] = [
    Trap(notAnObject) { _ = AtomicWeakArray<String>() },
    Trap(notAnObject) { _ = LockFreeWeakArray<String>() },
    Trap(notAnObject) { _ = ActorWeakArray<String>() },
    Trap(notAnObject) { _ = AtomicWeakSet<String>() },
    Trap(notAnObject) { _ = MutexWeakSet<String>() },
    Trap(notAnObject) { _ = ActorWeakSet<String>() },
    Trap(notAnObject) { _ = AtomicWeakValueDictionary<Int, String>() },
    Trap(notAnObject) { _ = LockFreeWeakValueDictionary<Int, String>() },
    Trap(notAnObject) { _ = WeakSet<String>() },
    Trap(notAnObject) { _ = WeakKeyDictionary<String, Int>() },
    Trap(notAnObject) { _ = WeakValueDictionary<Int, String>() },
    Trap(notAnObject) { _ = WeakReference("a") },
    Trap(itsOwnCollection) { write(inside: AtomicDictionary()) },
    Trap(itsOwnCollection) { write(inside: LockFreeDictionary()) },
    Trap(itsOwnCollection) { write(inside: BucketLockDictionary()) },
    Trap(itsOwnCollection) { write(inside: MutexDictionary()) },
    Trap(itsOwnCollection) { write(inside: StripedLockDictionary()) },
    Trap(itsOwnCollection) {
      let dictionary: AdaptiveLockDictionary = [1: 1]
      _ = dictionary.withValue(forKey: 1) { _ in dictionary[1] }
    },
    Trap("the key a occurs twice; keys must be unique") {
      _ = AtomicDictionary(uniqueKeysWithValues: [("a", 1), ("a", 2)])
    },
    Trap("the key a occurs twice; keys must be unique") {
      let _: BucketLockDictionary = ["a": 1, "a": 2]
    },
    Trap("a key is not equal to itself, like Double.nan; use reflexive keys") {
      let dictionary = LockFreeWeakValueDictionary<Double, Listener>()
      dictionary.setValue(Listener(), forKey: .nan)
    },
    Trap("striped-lock has no weak array; use one of supporting(.weakArray)") {
      try await Backend.stripedLock.withWeakArray(Visitor())
    },
    Trap("bucket-lock has no weak set; use one of supporting(.weakSet)") {
      try await Backend.bucketLock.withWeakSet(Visitor())
    },
    Trap("bagCapacity must be positive, got 0") { _ = EpochDomain(bagCapacity: 0) },
  ]

  private static func write(inside dictionary: some SynchronousDictionary<Int, Int>) {
    dictionary.update(1) { _ in dictionary[1] = 2 }
  }

  @Test(arguments: traps.indices) func `a mistake prints its line`(_ index: Int) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [index] in try await TrapTests.traps[index].provoke() }
    let printed = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(printed.contains(Self.traps[index].line))
  }
}
