import SeededTesting
import Testing
import Threading
import WeakCollections

/// What every weak array promises.
@Suite(.timeLimit(.minutes(10))) struct WeakArrayContractTests {
  static let backends = Backend.supporting(.weakArray)

  @Test(arguments: backends)
  func `entries are in the order of appending, duplicates kept`(_ backend: Backend) async throws {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let elements = (0..<100).map { Counted($0, in: lifetimes) }
    for element in elements { await array.append(element) }
    for element in elements.reversed() { await array.append(element) }
    #expect(await array.all.map(\.number) == Array(0..<100) + (0..<100).reversed())
    #expect(await array.count == 200)
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `append returns the number of entries after it`(_ backend: Backend) async throws {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    var numbers: [Int] = []
    for number in 0..<20 { numbers.append(await array.append(Counted(number, in: lifetimes))) }
    // The dead count too: there are too few for a compaction that must come.
    #expect(numbers.allSatisfy { $0 >= 1 })
    #expect(await array.entryCount == numbers.last)
    let kept = (0..<200).map { Counted($0, in: lifetimes) }
    await array.removeAll()
    numbers = []
    for element in kept { numbers.append(await array.append(element)) }
    #expect(numbers == Array(1...200))
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: backends)
  func `0.f an appended element dies with its last strong reference`(
    _ backend: Backend
  ) async throws {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    for number in 0..<50 {
      await array.append(Counted(number, in: lifetimes))
      #expect(lifetimes.live == 0)
    }
    #expect(await array.all.isEmpty)
    #expect(await array.count == 0)
  }

  @Test(arguments: backends)
  func `0.10 dead elements are not in a snapshot, living ones are`(_ backend: Backend) async throws
  {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    var generator = SeededGenerator(seed: TestOptions.seed)
    var kept: [Counted] = []
    for number in 0..<500 {
      let element = Counted(number, in: lifetimes)
      await array.append(element)
      if Bool.random(using: &generator) { kept.append(element) }
    }
    #expect(await array.all.map(\.number) == kept.map(\.number), "seed \(TestOptions.seed)")
    #expect(await array.count == kept.count)
  }

  @Test(arguments: backends)
  func `0.h stored entries are at most twice the living and 64`(_ backend: Backend) async throws {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let kept = (0..<100).map { Counted($0, in: lifetimes) }
    for element in kept { await array.append(element) }
    for number in 0..<2000 {
      let entries = await array.append(Counted(number, in: lifetimes))
      // The element of this append lived when entries were counted.
      #expect(entries <= 2 * (kept.count + 1) + 64)
    }
    #expect(await array.all.map(\.number) == kept.map(\.number))
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: backends)
  func `as many appends as there are dead entries bring them down`(_ backend: Backend) async throws
  {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    var many: [Counted] = (0..<3000).map { Counted($0, in: lifetimes) }
    for element in many { await array.append(element) }
    many = []
    for number in 0..<(3000 + 64) { await array.append(Counted(number, in: lifetimes)) }
    #expect(await array.entryCount <= 64 + 2)
  }

  @Test(arguments: backends)
  func `remove takes the earliest entry of the identical object`(_ backend: Backend) async throws {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let (one, two) = (Counted(1, in: lifetimes), Counted(2, in: lifetimes))
    for element in [one, two, one, two] { await array.append(element) }
    #expect(await array.remove(two))
    #expect(await array.all.map(\.number) == [1, 1, 2])
    #expect(await array.remove(two))
    #expect(await array.remove(two) == false)
    #expect(await array.remove(Counted(1, in: lifetimes)) == false)
    #expect(await array.all.map(\.number) == [1, 1])
    #expect(await array.entryCount == 2)
    withExtendedLifetime((one, two)) {}
  }

  @Test(arguments: backends)
  func `contains asks for the identical object`(_ backend: Backend) async throws {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let (one, two) = (Counted(1, in: lifetimes), Counted(1, in: lifetimes))
    await array.append(one)
    #expect(await array.contains(one))
    #expect(await array.contains(two) == false)
    await array.remove(one)
    #expect(await array.contains(one) == false)
  }

  @Test(arguments: backends)
  func `removeAll leaves nothing and the array usable`(_ backend: Backend) async throws {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let elements = (0..<100).map { Counted($0, in: lifetimes) }
    for element in elements { await array.append(element) }
    await array.removeAll()
    #expect(await array.all.isEmpty)
    #expect(await array.entryCount == 0)
    #expect(await array.append(elements[7]) == 1)
    #expect(await array.all.map(\.number) == [7])
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `compact drops exactly the dead`(_ backend: Backend) async throws {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    var elements: [Counted?] = (0..<60).map { Counted($0, in: lifetimes) }
    for element in elements { await array.append(element!) }
    #expect(await array.compact() == 0)
    for index in stride(from: 0, to: 60, by: 3) { elements[index] = nil }
    #expect(await array.compact() == 20)
    #expect(await array.entryCount == 40)
    #expect(await array.compact() == 0)
    #expect(await array.all.map(\.number) == (0..<60).filter { !$0.isMultiple(of: 3) })
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `0.5 forEach rethrows what its body throws, with its type`(_ backend: Backend) async throws {
    struct Stop: Error, Equatable { let at: Int }
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let elements = (0..<10).map { Counted($0, in: lifetimes) }
    for element in elements { await array.append(element) }
    var visited: [Int] = []
    do throws(Stop) {
      try await array.forEach { element throws(Stop) in
        visited.append(element.number)
        if element.number == 3 { throw Stop(at: 3) }
      }
      Issue.record("nothing was thrown")
    } catch {
      #expect(error == Stop(at: 3))
    }
    #expect(visited == [0, 1, 2, 3])
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `an array of protocol values keeps its promises`(_ backend: Backend) async throws {
    let array = try await backend.weakArray(of: (any Named & Aged).self)
    let people = ["Ada", "Bob", "Cleo"].map { Person($0) }
    for person in people { await array.append(person) }
    await array.append(Person("Dead"))
    #expect(await array.remove(people[1]))
    #expect(await array.all.map(\.name) == ["Ada", "Cleo"])
    #expect(await array.all.map(\.age) == [41, 41])
    withExtendedLifetime(people) {}
  }

  @Test(arguments: Backend.synchronous(.weakArray))
  func `0.g the body of forEach may use the array`(_ backend: Backend) async throws {
    appendInsideForEach(try await backend.synchronousWeakArray(of: Counted.self))
  }

  private func appendInsideForEach(_ array: AnySynchronousWeakArray<Counted>) {
    let lifetimes = LifetimeCounter()
    let elements = (0..<10).map { Counted($0, in: lifetimes) }
    for element in elements { array.append(element) }
    array.forEach { element in
      array.append(element)
      #expect(array.count == 11)
      array.remove(element)
      array.compact()
    }
    #expect(array.all.map(\.number) == Array(0..<10))
    withExtendedLifetime(elements) {}
  }

  @Test(arguments: backends)
  func `0.5 every holder of the array sees what one of them appends`(_ backend: Backend)
    async throws
  {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let missed = await inOwnThreadTasks(8) { thread in
      var missed = 0
      for number in 0..<100 {
        let element = Counted(thread * 1000 + number, in: lifetimes)
        await array.append(element)
        if !(await array.all.contains { $0 === element }) { missed += 1 }
        if !(await array.contains(element)) { missed += 1 }
      }
      return missed
    }
    #expect(missed == Array(repeating: 0, count: 8))
    #expect(lifetimes.live == 0)
  }

  @Test(arguments: backends)
  func `no two appends return the same number while nothing leaves`(_ backend: Backend) async throws
  {
    let array = try await backend.weakArray(of: Counted.self)
    let lifetimes = LifetimeCounter()
    let results = await inOwnThreadTasks(8) { thread in
      var mine: [(element: Counted, number: Int)] = []
      for number in 0..<200 {
        let element = Counted(number, in: lifetimes)
        mine.append((element, await array.append(element)))
      }
      return mine
    }
    let appended = results.flatMap { $0 }.sorted { $0.number < $1.number }
    #expect(appended.map(\.number) == Array(1...1600))
    // The number is the place: nothing has left.
    #expect(await array.all.elementsEqual(appended.map(\.element), by: ===))
    for mine in results { #expect(mine.map(\.number) == mine.map(\.number).sorted()) }
  }

  @Test(arguments: backends)
  func `each entry is removed once`(_ backend: Backend) async throws {
    let array = try await backend.weakArray(of: Counted.self)
    let element = Counted(in: LifetimeCounter())
    for _ in 0..<400 { await array.append(element) }
    let removed = await inOwnThreadTasks(8) { _ in
      var removed = 0
      for _ in 0..<100 where await array.remove(element) { removed += 1 }
      return removed
    }
    #expect(removed.reduce(0, +) == 400)
    #expect(await array.entryCount == 0)
  }
}
