import Synchronization
import Testing
import Threading
import WeakCollections

struct WeakArrayWrapperTests {
  @Test func `0.2 the property reads as the live elements in order, with duplicates`() {
    @WeakArray var people: [any Named] = []
    let ada = Person("Ada")
    var bob: Person? = Person("Bob")
    people.append(ada)
    people.append(bob!)
    $people.append(ada)
    #expect(people.map(\.name) == ["Ada", "Bob", "Ada"])
    bob = nil
    #expect(people.map(\.name) == ["Ada", "Ada"])
    people = [ada]
    #expect(people.count == 1)
  }

  @Test func `0.2 the property may have an initial value, but does not need one`() {
    let ada = Person("Ada")
    @WeakArray var declared: [Person]
    @WeakArray var filled = [ada, ada]
    #expect(declared.isEmpty)
    #expect(filled.count == 2)
    $declared.append(ada)
    #expect(declared.count == 1)
  }

  @Test func `0.3 the property keeps none of its elements alive`() {
    let lifetimes = LifetimeCounter()
    @WeakArray var elements: [Counted] = []
    for number in 0..<100 {
      elements.append(Counted(number, in: lifetimes))
      $elements.append(Counted(number, in: lifetimes))
    }
    #expect(lifetimes.live == 0)
    #expect(elements.isEmpty)
  }

  @Test func `0.i appending through the projected value keeps at most 64 dead entries`() {
    let lifetimes = LifetimeCounter()
    @WeakArray var elements: [Counted] = []
    for number in 0..<1000 { $elements.append(Counted(number, in: lifetimes)) }
    #expect($elements.compact() <= 64)
    #expect($elements.compact() == 0)
  }

  @Test func `a copy of the property is an independent value`() {
    struct Holder {
      @WeakArray var people: [Person] = []
    }
    let ada = Person("Ada")
    var one = Holder()
    one.people.append(ada)
    var other = one
    other.$people.append(ada)
    #expect(one.people.count == 1)
    #expect(other.people.count == 2)
  }
}

/// Tests of the bound on the number of dead entries.
@Suite(.timeLimit(.minutes(10))) struct WeakArrayRoomTests {
  @Test(arguments: Backend.supporting(.weakArray))
  func `there are at most twice as many entries as live elements, plus 64`(_ backend: Backend)
    async throws
  {
    let lifetimes = LifetimeCounter()
    for living in stride(from: 1, through: 401, by: 8) {
      let array = try await backend.weakArray(of: Counted.self)
      let kept = (0..<living).map { Counted($0, in: lifetimes) }
      for element in kept { await array.append(element) }
      var most = await array.entryCount
      for number in 0..<1500 {
        let entryCount = await array.append(Counted(number, in: lifetimes))
        most = max(most, entryCount)
      }
      #expect(most <= 2 * living + 64, "\(living) live")
      withExtendedLifetime(kept) {}
    }
  }
}

/// All empty Swift arrays of a process share one storage. An empty snapshot must not write to it:
/// ThreadSanitizer would report the write, and readers of different collections would contend for
/// a cache line.
@Suite(.timeLimit(.minutes(10))) struct EmptySnapshotTests {
  @Test(arguments: Backend.synchronous(.weakArray))
  func `threads take empty snapshots of different arrays without a write to shared memory`(
    _ backend: Backend
  ) async throws {
    let arrays = try await [
      backend.synchronousWeakArray(of: Counted.self),
      backend.synchronousWeakArray(of: Counted.self),
    ]
    let counts = await onOwnThreads(2) { thread in
      (0..<100).reduce(0) { sum, _ in sum + arrays[thread].all.count + arrays[thread].count }
    }
    #expect(counts == [0, 0])
  }

  @Test func `threads look up empty lists of keys concurrently`() async {
    let dictionary = LockFreeDictionary<Int, Int>()
    let counts = await onOwnThreads(2) { _ in
      (0..<100).reduce(0) { sum, _ in sum + dictionary.values(forKeys: []).count }
    }
    #expect(counts == [0, 0])
  }
}
