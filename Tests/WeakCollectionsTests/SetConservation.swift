import SeededTesting
import Threading
import WeakCollections

/// Each thread inserts elements, drops and removes some; what it holds must be in the set, once.
struct SetConservation: WeakSetVisitor {
  typealias Element = Counted
  let operations: Int

  func visit<S: ConcurrentWeakSet & Sendable>(_ type: S.Type) async throws -> [String]
  where S.Element == Counted {
    let set = S()
    let census = Census()
    let results = await inOwnThreadTasks(ConservationTests.threads) { [operations] thread in
      var worker = Worker<S>(set: set, census: census, thread: thread)
      for _ in 0..<operations { await worker.operate() }
      return worker
    }
    var wrong = Set(results.flatMap(\.wrong)).sorted()
    let kept = results.flatMap { $0.held.map(\.number) }
    if await set.all.map(\.number).sorted() != kept.sorted() { wrong.append("elements differ") }
    await set.compact()
    if await set.entryCount != kept.count { wrong.append("entries are not exact at rest") }
    if census.live != kept.count { wrong.append("\(census.live) live, \(kept.count) kept") }
    withExtendedLifetime(results) {}
    return wrong
  }

  private struct Worker<S: ConcurrentWeakSet & Sendable>: Sendable where S.Element == Counted {
    let set: S
    let census: Census
    let thread: Int
    var held: [Counted] = []
    var wrong: [String] = []
    private var next: Int
    private var generator: SeededGenerator

    init(set: S, census: Census, thread: Int) {
      self.set = set
      self.census = census
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
      let element = Counted(next, in: census)
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
