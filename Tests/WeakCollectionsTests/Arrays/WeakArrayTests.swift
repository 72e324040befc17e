import Synchronization
import Testing
import Threading
import WeakCollections

struct WeakArrayWrapperTests {
  @Test func `0.2 the property reads as the living elements in order, duplicates kept`() {
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

  @Test func `0.2 the property needs no initial value, and may have one`() {
    let ada = Person("Ada")
    @WeakArray var declared: [Person]
    @WeakArray var filled = [ada, ada]
    #expect(declared.isEmpty)
    #expect(filled.count == 2)
    $declared.append(ada)
    #expect(declared.count == 1)
  }

  @Test func `0.3 the property holds none of its elements`() {
    let lifetimes = LifetimeCounter()
    @WeakArray var elements: [Counted] = []
    for number in 0..<100 {
      elements.append(Counted(number, in: lifetimes))
      $elements.append(Counted(number, in: lifetimes))
    }
    #expect(lifetimes.live == 0)
    #expect(elements.isEmpty)
  }

  @Test func `0.i appending through the projected value keeps no more than it must`() {
    let lifetimes = LifetimeCounter()
    @WeakArray var elements: [Counted] = []
    for number in 0..<1000 { $elements.append(Counted(number, in: lifetimes)) }
    #expect($elements.compact() <= 64)
    #expect($elements.compact() == 0)
  }

  @Test func `a copy of the property is a value of its own`() {
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

/// How many dead entries an array may hold beside the living, whatever their number.
@Suite(.timeLimit(.minutes(10))) struct WeakArrayRoomTests {
  @Test(arguments: Backend.supporting(.weakArray))
  func `entries are at most twice the living and 64`(_ backend: Backend) async throws {
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

/// Arrays without capacity share one storage in the whole process. Taking an empty one must not
/// write there: ThreadSanitizer reports it, and readers of different collections would share a
/// line.
@Suite(.timeLimit(.minutes(10))) struct EmptySnapshotTests {
  @Test(arguments: Backend.synchronous(.weakArray))
  func `threads take empty snapshots of arrays of their own`(_ backend: Backend) async throws {
    let arrays = try await [
      backend.synchronousWeakArray(of: Counted.self),
      backend.synchronousWeakArray(of: Counted.self),
    ]
    let counts = await onOwnThreads(2) { thread in
      (0..<100).reduce(0) { sum, _ in sum + arrays[thread].all.count + arrays[thread].count }
    }
    #expect(counts == [0, 0])
  }

  @Test func `threads look up no keys at once`() async {
    let dictionary = LockFreeDictionary<Int, Int>()
    let counts = await onOwnThreads(2) { _ in
      (0..<100).reduce(0) { sum, _ in sum + dictionary.values(forKeys: []).count }
    }
    #expect(counts == [0, 0])
  }
}
