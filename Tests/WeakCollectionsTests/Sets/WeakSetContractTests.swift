import SeededTesting
import Testing
import Threading
import WeakCollections

/// What every weak set promises.
@Suite(.timeLimit(.minutes(10))) struct WeakSetContractTests {
  static let backends = Backend.supporting(.weakSet)

  @Test(arguments: backends)
  func `an object is in it once`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let elements = (0..<100).map { Counted($0, in: lifetimes) }
    for element in elements { #expect(await set.insert(element).inserted) }
    for element in elements { #expect(await set.insert(element).inserted == false) }
    #expect(await set.all.map(\.number).sorted() == Array(0..<100))
    #expect(await set.count == 100)
    #expect(await set.entryCount == 100)
    for element in elements { #expect(await set.contains(element)) }
    #expect(await set.contains(Counted(1, in: lifetimes)) == false)
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `insert returns the number of entries after it`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let elements = (0..<200).map { Counted($0, in: lifetimes) }
    for (index, element) in elements.enumerated() {
      #expect(await set.insert(element).entries == index + 1)
    }
    #expect(await set.insert(elements[7]).entries == 200)
    await set.remove(elements[7])
    #expect(await set.insert(elements[7]).entries == 200)
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `an inserted element dies with its last strong reference`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    for number in 0..<50 {
      await set.insert(Counted(number, in: lifetimes))
      #expect(lifetimes.live == 0)
    }
    #expect(await set.all.isEmpty)
    #expect(await set.count == 0)
  }

  @Test(arguments: backends)
  func `dead elements are not in a snapshot, living ones are`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    var generator = SeededGenerator(seed: TestOptions.seed)
    var kept: [Counted] = []
    for number in 0..<500 {
      let element = Counted(number, in: lifetimes)
      await set.insert(element)
      if Bool.random(using: &generator) { kept.append(element) }
    }
    let found = await set.all.map(\.number).sorted()
    #expect(found == kept.map(\.number), "seed \(TestOptions.seed)")
  }

  @Test(arguments: backends)
  func `stored entries are at most twice the living and 64`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let kept = (0..<100).map { Counted($0, in: lifetimes) }
    for element in kept { await set.insert(element) }
    for number in 0..<2000 {
      let entries = await set.insert(Counted(number, in: lifetimes)).entries
      // The element of this insertion lived when entries were counted.
      #expect(entries <= 2 * (kept.count + 1) + 64)
    }
    #expect(await set.all.map(\.number).sorted() == kept.map(\.number))
    withExtendedLifetime(kept) {}
  }

  /// Only the sweep finds these: the writes touch living elements alone.
  @Test(arguments: backends, [1, 30, 300])
  func `a dead entry leaves within as many writes as there are entries, and one`(
    _ backend: Backend, _ dead: Int
  ) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let kept = (0..<300).map { Counted($0, in: lifetimes) }
    for element in kept { await set.insert(element) }
    var dying = (0..<dead).map { Counted($0, in: lifetimes) }
    for element in dying { await set.insert(element) }
    dying = []
    let most = await set.entryCount
    var writes = 0
    while await set.entryCount > kept.count {
      await set.insert(kept[writes % kept.count])
      writes += 1
      if writes > most + 1 { break }
    }
    #expect(writes <= most + 1)
    #expect(await set.count == kept.count)
  }

  @Test(arguments: backends)
  func `remove takes the identical object`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Symbol.self)
    let (one, other) = (Symbol(1), Symbol(1))
    await set.insert(one)
    #expect(await set.remove(other) == false)
    #expect(await set.contains(one))
    #expect(await set.remove(one))
    #expect(await set.remove(one) == false)
    #expect(await set.contains(one) == false)
    #expect(await set.entryCount == 0)
    #expect(await set.insert(one).inserted)
    withExtendedLifetime((one, other)) {}
  }

  @Test(arguments: backends)
  func `removeAll leaves nothing and the set usable`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let elements = (0..<100).map { Counted($0, in: lifetimes) }
    for element in elements { await set.insert(element) }
    await set.removeAll()
    #expect(await set.all.isEmpty)
    #expect(await set.entryCount == 0)
    #expect(await set.insert(elements[7]).entries == 1)
    #expect(await set.all.map(\.number) == [7])
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `compact drops exactly the dead`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    var elements: [Counted?] = (0..<60).map { Counted($0, in: lifetimes) }
    for element in elements { await set.insert(element!) }
    #expect(await set.compact() == 0)
    for index in stride(from: 0, to: 60, by: 3) { elements[index] = nil }
    #expect(await set.compact() == 20)
    #expect(await set.entryCount == 40)
    #expect(await set.compact() == 0)
    #expect(await set.all.map(\.number).sorted() == (0..<60).filter { !$0.isMultiple(of: 3) })
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `forEach rethrows what its body throws, with its type`(_ backend: Backend) async throws {
    struct Stop: Error, Equatable { let after: Int }
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let elements = (0..<10).map { Counted($0, in: lifetimes) }
    for element in elements { await set.insert(element) }
    var visited = 0
    do throws(Stop) {
      try await set.forEach { _ throws(Stop) in
        visited += 1
        if visited == 4 { throw Stop(after: 4) }
      }
      Issue.record("nothing was thrown")
    } catch {
      #expect(error == Stop(after: 4))
    }
    #expect(visited == 4)
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: Backend.synchronous(.weakSet))
  func `the body of forEach may use the set`(_ backend: Backend) async throws {
    insertInsideForEach(try await backend.synchronousWeakSet(of: Counted.self))
  }

  private func insertInsideForEach(_ set: AnySynchronousWeakSet<Counted>) {
    let lifetimes = LifetimeCounter()
    let elements = (0..<10).map { Counted($0, in: lifetimes) }
    for element in elements { set.insert(element) }
    set.forEach { element in
      set.remove(element)
      #expect(set.count == 9)
      set.insert(element)
      set.compact()
    }
    #expect(set.count == 10)
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `a set of protocol values keeps its promises`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: (any Named & Aged).self)
    let people = ["Ada", "Bob", "Cleo"].map { Person($0) }
    for person in people { await set.insert(person) }
    await set.insert(Person("Dead"))
    #expect(await set.insert(people[0]).inserted == false)
    #expect(await set.remove(people[1]))
    #expect(await set.all.map(\.name).sorted() == ["Ada", "Cleo"])
    #expect(await set.all.map(\.age) == [41, 41])
    withExtendedLifetime(people) {}
  }

  @Test(arguments: backends)
  func `large instances, whose addresses come back, are not confused with the dead`(
    _ backend: Backend
  ) async throws {
    let set = try await backend.weakSet(of: Large.self)
    for _ in 0..<300 {
      let large = Large()
      #expect(await set.contains(large) == false)
      #expect(await set.insert(large).inserted)
      #expect(await set.contains(large))
      #expect(await set.count == 1)
    }
  }

  private final class Large: Sendable {
    let words = InlineArray<512, Int>(repeating: 0)
  }

  @Test(arguments: backends)
  func `of those who insert one object at once, one adds it`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let elements = (0..<500).map { Counted($0, in: lifetimes) }
    let added = await inOwnThreadTasks(4) { _ in
      var added = 0
      for element in elements where await set.insert(element).inserted { added += 1 }
      return added
    }
    #expect(added.reduce(0, +) == elements.count)
    #expect(await set.count == elements.count)
  }

  @Test(arguments: backends)
  func `no two insertions that add get the same number while nothing leaves`(
    _ backend: Backend
  ) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let results = await inOwnThreadTasks(8) { _ in
      var mine: [(element: Counted, number: Int)] = []
      for number in 0..<200 {
        let element = Counted(number, in: lifetimes)
        mine.append((element, await set.insert(element).entries))
      }
      return mine
    }
    #expect(results.flatMap { $0 }.map(\.number).sorted() == Array(1...1600))
  }

  @Test(arguments: backends)
  func `each object is removed once`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let elements = (0..<400).map { Counted($0, in: lifetimes) }
    for element in elements { await set.insert(element) }
    let removed = await inOwnThreadTasks(8) { _ in
      var removed = 0
      for element in elements where await set.remove(element) { removed += 1 }
      return removed
    }
    #expect(removed.reduce(0, +) == 400)
    #expect(await set.entryCount == 0)
  }
}
