import SeededTesting
import Testing
import Threading
import WeakCollections

/// Many operations by many threads: nothing is lost, nothing is invented, everything created ends.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ConservationTests {
  static let threads = 8
  /// `scripts/soak --conservation` makes 100,000, in an optimized build.
  private let operations = TestOptions.operations(standard: 4_000)

  @Test(arguments: Backend.supporting(.weakArray))
  func `0.10 a weak array conserves its elements`(_ backend: Backend) async throws {
    let wrong = try await backend.withWeakArray(ArrayConservation(operations: operations))
    #expect(wrong == [], "seed \(TestOptions.seed)")
  }

  @Test(arguments: Backend.supporting(.weakSet))
  func `a weak set conserves its elements`(_ backend: Backend) async throws {
    let wrong = try await backend.withWeakSet(SetConservation(operations: operations))
    #expect(wrong == [], "seed \(TestOptions.seed)")
  }

  @Test(arguments: Backend.supporting(.dictionary))
  func `0.10 a dictionary conserves its values`(_ backend: Backend) async throws {
    let wrong = try await backend.withDictionary(DictionaryConservation(operations: operations))
    #expect(wrong == [], "seed \(TestOptions.seed)")
  }
}

/// Each thread appends elements, drops and removes some; what it holds must be in every snapshot,
/// in its order. (What it dropped may be there too, while another thread's snapshot holds it.)
private struct ArrayConservation: WeakArrayVisitor {
  typealias Element = Counted
  let operations: Int

  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async throws -> [String]
  where A.Element == Counted {
    let array = A()
    let lifetimes = LifetimeCounter()
    let results = await inOwnThreadTasks(ConservationTests.threads) { [operations] thread in
      var worker = Worker<A>(array: array, lifetimes: lifetimes, thread: thread)
      for _ in 0..<operations { await worker.operate() }
      return worker
    }
    var wrong = Set(results.flatMap(\.wrong)).sorted()
    let kept = results.flatMap { $0.held.map(\.number) }
    if await array.all.map(\.number).sorted() != kept.sorted() { wrong.append("elements differ") }
    if lifetimes.live != kept.count { wrong.append("\(lifetimes.live) live, \(kept.count) kept") }
    withExtendedLifetime(results) {}
    return wrong
  }

  private struct Worker<A: ConcurrentWeakArray & Sendable>: Sendable where A.Element == Counted {
    let array: A
    let lifetimes: LifetimeCounter
    let thread: Int
    var held: [Counted] = []
    var wrong: [String] = []
    private var next: Int
    private var generator: SeededGenerator

    init(array: A, lifetimes: LifetimeCounter, thread: Int) {
      self.array = array
      self.lifetimes = lifetimes
      self.thread = thread
      next = thread << 32
      generator = SeededGenerator(seed: TestOptions.seed &+ UInt64(thread))
    }

    mutating func operate() async {
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<50: await append()
      case 50..<75: drop()
      case 75..<90: await remove()
      case 90..<92: await array.compact()
      case 92..<95: await look()
      default: if await array.entryCount < held.count { wrong.append("too few entries") }
      }
    }

    private mutating func append() async {
      let element = Counted(next, in: lifetimes)
      next += 1
      if await array.append(element) < 1 { wrong.append("append returned less than one") }
      if held.count < 8 { held.append(element) }
    }

    private mutating func drop() {
      guard !held.isEmpty else { return }
      held.remove(at: Int.random(in: held.indices, using: &generator))
    }

    private mutating func remove() async {
      guard !held.isEmpty else { return }
      let element = held.remove(at: Int.random(in: held.indices, using: &generator))
      if await array.remove(element) == false { wrong.append("\(element.number) was not there") }
      if await array.contains(element) { wrong.append("\(element.number) is still there") }
    }

    private mutating func look() async {
      var expected = held[...]
      for element in await array.all where element === expected.first { expected.removeFirst() }
      if !expected.isEmpty { wrong.append("a snapshot lacks what is held") }
    }
  }
}

/// Each thread notes the sum of what it put in, less what it took out; together that is what stays.
private struct DictionaryConservation: DictionaryVisitor {
  typealias Key = Int
  typealias Value = Counted
  let operations: Int

  func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async throws -> [String]
  where D.Key == Int, D.Value == Counted {
    let lifetimes = LifetimeCounter()
    var wrong: [String] = []
    do {
      let dictionary = D()
      let results = await inOwnThreadTasks(ConservationTests.threads) { [operations] thread in
        var worker = Worker<D>(dictionary: dictionary, lifetimes: lifetimes, thread: thread)
        for _ in 0..<operations { await worker.operate() }
        return (worker.balance, worker.wrong)
      }
      wrong += Set(results.flatMap(\.1)).sorted()
      let left = await dictionary.snapshot
      let balance = results.reduce(0) { $0 + $1.0 }
      if left.values.reduce(0, { $0 + $1.number }) != balance { wrong.append("sums differ") }
      if await dictionary.count != left.count { wrong.append("count is not exact at rest") }
      await reclaimShared { lifetimes.live == left.count }
      await dictionary.removeAll()
    }
    await reclaimShared { lifetimes.live == 0 }
    if lifetimes.births != lifetimes.deaths { wrong.append("not all values ended") }
    return wrong
  }

  private struct Worker<D: ConcurrentDictionary & Sendable> where D.Key == Int, D.Value == Counted {
    let dictionary: D
    let lifetimes: LifetimeCounter
    let thread: Int
    var balance = 0
    var wrong: [String] = []
    private var generator: SeededGenerator
    private var ownValue: Int?

    init(dictionary: D, lifetimes: LifetimeCounter, thread: Int) {
      self.dictionary = dictionary
      self.lifetimes = lifetimes
      self.thread = thread
      generator = SeededGenerator(seed: TestOptions.seed &+ UInt64(thread))
    }

    private var ownKey: Int { -1 - thread }

    mutating func operate() async {
      // Few keys, which collide often, and now and then many, for which the table grows.
      let range = Int.random(in: 0..<64, using: &generator) == 0 ? 1000 : 32
      let key = Int.random(in: 0..<range, using: &generator)
      let value = Counted(Int.random(in: 1..<1000, using: &generator), in: lifetimes)
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<30: await exchange(key, for: value)
      case 30..<50: await remove(key)
      case 50..<65: await insert(value, for: key)
      case 65..<75: await setOwn(value)
      case 75..<99: _ = await dictionary.value(forKey: key)
      default: if await dictionary.snapshot[ownKey]?.number != ownValue { complain() }
      }
    }

    private mutating func exchange(_ key: Int, for value: Counted) async {
      let old = await dictionary.update(key) { present in
        defer { present = value }
        return present
      }
      balance += value.number - (old?.number ?? 0)
    }

    private mutating func remove(_ key: Int) async {
      balance -= await dictionary.removeValue(forKey: key)?.number ?? 0
    }

    private mutating func insert(_ value: Counted, for key: Int) async {
      if await dictionary.value(forKey: key, orInsert: { value }) === value {
        balance += value.number
      }
    }

    private mutating func setOwn(_ value: Counted) async {
      await dictionary.setValue(value, forKey: ownKey)
      balance += value.number - (ownValue ?? 0)
      ownValue = value.number
      if await dictionary.value(forKey: ownKey) !== value { complain() }
    }

    private mutating func complain() {
      wrong.append("thread \(thread) does not find the value that it set")
    }
  }
}

/// Each thread inserts elements, drops and removes some; what it holds must be in the set, once.
private struct SetConservation: WeakSetVisitor {
  typealias Element = Counted
  let operations: Int

  func visit<S: ConcurrentWeakSet & Sendable>(_ type: S.Type) async throws -> [String]
  where S.Element == Counted {
    let set = S()
    let lifetimes = LifetimeCounter()
    let results = await inOwnThreadTasks(ConservationTests.threads) { [operations] thread in
      var worker = Worker<S>(set: set, lifetimes: lifetimes, thread: thread)
      for _ in 0..<operations { await worker.operate() }
      return worker
    }
    var wrong = Set(results.flatMap(\.wrong)).sorted()
    let kept = results.flatMap { $0.held.map(\.number) }
    if await set.all.map(\.number).sorted() != kept.sorted() { wrong.append("elements differ") }
    await set.compact()
    if await set.entryCount != kept.count { wrong.append("entries are not exact at rest") }
    if lifetimes.live != kept.count { wrong.append("\(lifetimes.live) live, \(kept.count) kept") }
    withExtendedLifetime(results) {}
    return wrong
  }

  private struct Worker<S: ConcurrentWeakSet & Sendable>: Sendable where S.Element == Counted {
    let set: S
    let lifetimes: LifetimeCounter
    let thread: Int
    var held: [Counted] = []
    var wrong: [String] = []
    private var next: Int
    private var generator: SeededGenerator

    init(set: S, lifetimes: LifetimeCounter, thread: Int) {
      self.set = set
      self.lifetimes = lifetimes
      self.thread = thread
      next = thread << 32
      generator = SeededGenerator(seed: TestOptions.seed &+ UInt64(thread))
    }

    mutating func operate() async {
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<50: await insert()
      case 50..<65: drop()
      case 65..<80: await remove()
      case 80..<90: await ask()
      case 90..<92: await set.compact()
      default: await look()
      }
    }

    private mutating func insert() async {
      let element = Counted(next, in: lifetimes)
      next += 1
      if await !set.insert(element).inserted { wrong.append("a new element was there already") }
      if held.count < 8 { held.append(element) }
    }

    private mutating func drop() {
      guard !held.isEmpty else { return }
      held.remove(at: Int.random(in: held.indices, using: &generator))
    }

    private mutating func remove() async {
      guard !held.isEmpty else { return }
      let element = held.remove(at: Int.random(in: held.indices, using: &generator))
      if await !set.remove(element) { wrong.append("\(element.number) was not there") }
      if await set.contains(element) { wrong.append("\(element.number) is still there") }
      if await set.remove(element) { wrong.append("\(element.number) was removed twice") }
    }

    private mutating func ask() async {
      for element in held {
        if await !set.contains(element) { wrong.append("\(element.number) is lost") }
        if await set.insert(element).inserted { wrong.append("\(element.number) was added twice") }
      }
    }

    private mutating func look() async {
      let all = await set.all
      if Set(all.map(\.number)).count < all.count { wrong.append("a snapshot has one twice") }
      let found = Set(all.map(ObjectIdentifier.init))
      if !held.allSatisfy({ found.contains(ObjectIdentifier($0)) }) {
        wrong.append("a snapshot lacks what is held")
      }
    }
  }
}
