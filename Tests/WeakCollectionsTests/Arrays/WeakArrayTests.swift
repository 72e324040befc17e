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

/// That a count, and a compaction, is of one moment, though it keeps no object alive while it asks
/// the others.
@Suite(.timeLimit(.minutes(10))) struct WeakArrayCountTests {
  private static let living = 300

  @Test(arguments: Backend.supporting(.weakArray))
  func `an object that is there twice is counted twice or not at all`(
    _ backend: Backend
  ) async throws {
    try await Self.dropOne(of: backend) { array in
      await array.count
    } check: { counts in
      #expect(counts.dropLast().allSatisfy { $0 == Self.living + 2 })
      #expect(counts.last == Self.living)
    }
  }

  @Test(arguments: Backend.supporting(.weakArray))
  func `both entries of an object are compacted or none is`(_ backend: Backend) async throws {
    try await Self.dropOne(of: backend) { array in
      Self.living + 2 - (await array.compact())
    } check: { left in
      #expect(left.last == Self.living)
    }
  }

  /// Has an array asked how many there are, until there are fewer, while another thread lets go of
  /// an object that has the first entry and the last; so it is asked long before and long after.
  private static func dropOne(
    of backend: Backend, asking ask: @escaping @Sendable (AnyWeakArray<Counted>) async -> Int,
    check: ([Int]) -> Void
  ) async throws {
    let lifetimes = LifetimeCounter()
    let living = (0..<Self.living).map { Counted($0, in: lifetimes) }
    for _ in 0..<30 {
      let array = try await backend.weakArray(of: Counted.self)
      let last = LastReference(to: Counted(-1, in: lifetimes))
      await last.append(to: array)
      for element in living { await array.append(element) }
      await last.append(to: array)
      check(await answers(of: array, dropping: last, ask))
    }
    withExtendedLifetime(living) {}
  }

  private static func answers(
    of array: AnyWeakArray<Counted>, dropping last: LastReference,
    _ ask: @escaping @Sendable (AnyWeakArray<Counted>) async -> Int
  ) async -> [Int] {
    let isAsking = Gate()
    return await inOwnThreadTasks(2) { thread in
      if thread == 1 {
        isAsking.wait()
        last.drop()
        return []
      }
      var answers = [await ask(array)]
      isAsking.open()
      while answers.last == living + 2 { answers.append(await ask(array)) }
      return answers
    }[0]
  }

  /// The one reference that keeps an object alive.
  private final class LastReference: Sendable {
    private let object: Mutex<Counted?>

    init(to object: Counted) { self.object = Mutex(object) }

    func append(to array: AnyWeakArray<Counted>) async {
      let object = object.withLock { $0! }
      await array.append(object)
    }

    func drop() { object.withLock { $0 = nil } }
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
