import EpochReclamation
import Primitives
import Testing
import Threading
import WeakCollections

/// When a removed value is released, and on which thread: the promise that an object dies when its
/// last reference goes.
@Suite(.timeLimit(.minutes(10))) struct ReleaseTests {
  /// A value of more than a word: the lock-free dictionaries cannot promote what is in it.
  private struct Pair: Sendable {
    let first: Counted
    let second = "second"
  }

  private static let backends = Backend.synchronous(.dictionary)

  private static var promotesObjects: Bool {
    #if os(Linux) && !WeakBoxes
      true
    #else
      false
    #endif
  }

  @Test(arguments: backends)
  func `a removed, replaced or cleared object is gone when the call returns`(
    _ backend: Backend
  ) async throws {
    let lifetimes = LifetimeCounter()
    let dictionary = try await backend.synchronousDictionary(from: Int.self, to: Counted.self)
    remove(from: dictionary, lifetimes) {
      Counted(in: lifetimes)
    } expectLive: {
      if Self.promotesObjects || !backend.reclaimsByEpoch {
        #expect(lifetimes.live == $0)
      } else {
        waitUntil(lifetimes, has: $0)
      }
    }
  }

  @Test(arguments: backends)
  func `what a removed structure refers to is gone soon, without a further call`(
    _ backend: Backend
  ) async throws {
    let lifetimes = LifetimeCounter()
    let dictionary = try await backend.synchronousDictionary(from: Int.self, to: Pair.self)
    remove(from: dictionary, lifetimes) {
      Pair(first: Counted(in: lifetimes))
    } expectLive: {
      waitUntil(lifetimes, has: $0)
    }
  }

  @Test func `what a removed structure refers to is gone at once if no thread reads`() async {
    await onOwnThread {
      let lifetimes = LifetimeCounter()
      for dictionary in [
        LockFreeDictionary<Int, Pair>(domain: EpochDomain())
          as AnySynchronousDictionary<Int, Pair>,
        BucketLockDictionary<Int, Pair>(domain: EpochDomain()),
      ] {
        remove(from: dictionary, lifetimes) {
          Pair(first: Counted(in: lifetimes))
        } expectLive: {
          #expect(lifetimes.live == $0)
        }
      }
    }
  }

  private func remove<Value>(
    from dictionary: AnySynchronousDictionary<Int, Value>, _ lifetimes: LifetimeCounter,
    make: () -> Value, expectLive: (Int) -> Void
  ) {
    func run<D: SynchronousDictionary<Int, Value>>(_ dictionary: D) {
      for key in 0..<10 { dictionary.setValue(make(), forKey: key) }
      expectLive(10)
      dictionary.removeValue(forKey: 0)
      expectLive(9)
      dictionary.setValue(make(), forKey: 1)
      expectLive(9)
      dictionary.update(2) { $0 = nil }
      expectLive(8)
      dictionary.updateValue(make(), forKey: 3)
      expectLive(8)
      dictionary.removeAll(where: { key, _ in key == 4 })
      expectLive(7)
      _ = dictionary.value(forKey: 5, orInsert: { make() })
      expectLive(7)
      dictionary.removeAll()
      expectLive(0)
      dictionary.setValue(make(), forKey: 1)
      expectLive(1)
      dictionary.removeAll()
    }
    run(dictionary)
    expectLive(0)
  }

  @Test(arguments: backends)
  func `the end of a dictionary releases its values`(_ backend: Backend) async throws {
    let lifetimes = LifetimeCounter()
    var dictionary: (any SynchronousDictionary<Int, Counted> & Sendable)? =
      try await backend.synchronousDictionary(from: Int.self, to: Counted.self)
    for key in 0..<100 { dictionary?.setValue(Counted(in: lifetimes), forKey: key) }
    dictionary = nil
    #expect(lifetimes.live == 0)
  }

  @Test(arguments: backends)
  func `a weak array does not deliver an object that a dictionary has removed`(
    _ backend: Backend
  ) async throws {
    let lifetimes = LifetimeCounter()
    let dictionary = try await backend.synchronousDictionary(from: Int.self, to: Counted.self)
    let array = AtomicWeakArray<Counted>()
    do {
      let object = Counted(in: lifetimes)
      dictionary.setValue(object, forKey: 1)
      array.append(object)
    }
    dictionary.removeValue(forKey: 1)
    waitUntil(lifetimes, has: 0)
    #expect(array.all.isEmpty)
  }

  private struct Key: Hashable, Sendable {
    let object: Counted
    static func == (first: Key, second: Key) -> Bool { first.object === second.object }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
  }

  @Test func `a removed key is gone at once if no thread reads`() async {
    await onOwnThread {
      let lifetimes = LifetimeCounter()
      for dictionary in [
        LockFreeDictionary<Key, Int>(domain: EpochDomain()) as AnySynchronousDictionary<Key, Int>,
        BucketLockDictionary<Key, Int>(domain: EpochDomain()),
      ] {
        for number in 0..<4 {
          dictionary.setValue(number, forKey: Key(object: Counted(number, in: lifetimes)))
        }
        dictionary.removeValue(forKey: dictionary.snapshot.first!.key)
        #expect(lifetimes.live == 3)
        dictionary.update(dictionary.snapshot.first!.key) { $0 = nil }
        #expect(lifetimes.live == 2)
        dictionary.removeAll()
        #expect(lifetimes.live == 0)
      }
    }
  }

  @Test func `removing all inside an update of another dictionary runs no deinit there`() async {
    await onOwnThread {
      let outer = LockFreeDictionary<Int, Int>(domain: EpochDomain())
      let domain = EpochDomain()
      let inner = LockFreeDictionary<Double, Dying>(domain: domain)
      let ends = Counter()
      for key in [1.5, 2.5, .nan] {
        inner.setValue(
          Dying {
            _ = outer.value(forKey: 1)  // Traps inside the update.
            ends.add()
          }, forKey: key)
      }
      outer.update(1) { _ in inner.removeAll() }
      while ends.total < 3 { BackgroundThread.sleep(microseconds: 100) }
    }
  }

  @Test(arguments: backends)
  func `keys are released soon too`(_ backend: Backend) async throws {
    let lifetimes = LifetimeCounter()
    let dictionary = try await backend.synchronousDictionary(from: Key.self, to: Int.self)
    for number in 0..<1000 {
      let key = Key(object: Counted(in: lifetimes))
      dictionary.setValue(number, forKey: key)
      if number % 2 == 0 { dictionary.removeValue(forKey: key) }
    }
    waitUntil(lifetimes, has: 500)
    dictionary.removeAll()
    waitUntil(lifetimes, has: 0)
  }

  @Test(arguments: backends)
  func `no deinit runs inside an operation of another dictionary`(_ backend: Backend) async throws {
    let hooked = try await backend.synchronousDictionary(from: Int.self, to: Dying.self)
    let other = try await backend.synchronousDictionary(from: Int.self, to: Counted.self)
    let lifetimes = LifetimeCounter()
    await onOwnThread {
      let lock = Mutex(0)
      // A value that dies inside `other.setValue` would wait for this thread's lock for ever.
      for number in 0..<2000 {
        hooked.setValue(Dying { lock.withLock { $0 += 1 } }, forKey: number % 8)
        lock.withLock { _ in other.setValue(Counted(in: lifetimes), forKey: number % 8) }
      }
      hooked.removeAll()
      while lock.withLock({ $0 }) < 2000 { BackgroundThread.sleep(microseconds: 100) }
    }
  }

  @Test func `a body of withValue keeps only what is removed from its dictionary`() async {
    await onOwnThread {
      let domain = EpochDomain(reportStall: { _ in })
      check(LockFreeDictionary<Int, Counted>(domain: domain), LockFreeDictionary(domain: domain))
      check(
        BucketLockDictionary<Int, Counted>(domain: domain), BucketLockDictionary(domain: domain))
    }
    @Sendable func check<D: SynchronousDictionary<Int, Counted> & Sendable>(
      _ lender: D, _ other: D
    ) {
      let lifetimes = LifetimeCounter()
      lender.setValue(Counted(7, in: lifetimes), forKey: 0)
      let reader = PinnedThread { stay in
        let number = lender.withValue(forKey: 0) { value in
          stay()
          return value.number
        }
        #expect(number == 7)
      }
      for _ in 0..<100 { other.setValue(Counted(in: lifetimes), forKey: 0) }
      if Self.promotesObjects { #expect(lifetimes.live == 2) }
      for _ in 0..<100 { lender.setValue(Counted(in: lifetimes), forKey: 0) }
      #expect(lifetimes.live >= 102)
      reader.leave()
      waitUntil(lifetimes, has: 2)
      reader.end()
    }
  }

  @Test(arguments: [true, false])
  func `readers see live objects while others replace them`(_ borrows: Bool) async {
    let lifetimes = LifetimeCounter(workers: 2)
    await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      let dictionary = LockFreeDictionary<Int, Counted>(domain: domain)
      let other = BucketLockDictionary<Int, Counted>(domain: domain)
      _ = joinOwnThreads(4) { thread in
        let tally = lifetimes.tallies[thread % 2]
        for number in 0..<20_000 {
          let key = number % 4
          if thread < 2 {
            dictionary.setValue(Counted(key, in: tally), forKey: key)
            other.update(key) { $0 = Counted(key, in: tally) }
            if number % 64 == 0 { other.removeAll() }
            if number % 64 == 1 { dictionary.removeAll() }
          } else {
            #expect(dictionary.value(forKey: key).map(\.number) ?? key == key)
            #expect(other.value(forKey: key).map(\.number) ?? key == key)
            #expect(dictionary.values(forKeys: [key])[0].map(\.number) ?? key == key)
            if number % 64 == 0 {
              #expect(other.snapshot.allSatisfy { $0.key == $0.value.number })
              #expect(dictionary.snapshot.allSatisfy { $0.key == $0.value.number })
            }
            if borrows {
              #expect(dictionary.withValue(forKey: key) { $0.number } ?? key == key)
              #expect(other.withValue(forKey: key) { $0.number } ?? key == key)
            }
          }
        }
      }
      dictionary.removeAll()
      other.removeAll()
      waitUntil(lifetimes, has: 0)
    }
  }
}

/// Waits until `lifetimes` has `count` live objects. The limit is that of the suite.
private func waitUntil(_ lifetimes: LifetimeCounter, has count: Int) {
  while lifetimes.live != count { BackgroundThread.sleep(microseconds: 100) }
}
