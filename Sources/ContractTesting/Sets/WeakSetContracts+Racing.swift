import SeededRandom
import Threading
import WeakCollections

// What a weak set promises to threads that use it concurrently.
extension Contract where Subject: ConcurrentWeakSet {
  static var racing: [Contract] {
    [
      contract(
        "when threads insert one object concurrently, exactly one adds it", checkRacingInsertions),
      contract(
        "no two insertions that add return the same number while nothing leaves", checkRacingNumbers
      ),
      contract("each object is removed once", checkRacingRemovals),
    ]
  }

  static var conserving: [Contract] {
    [contract("a weak set conserves its elements", checkConservation)]
  }

  @Sendable private static func checkRacingInsertions(_ run: ContractRun, _ set: WeakSet) async {
    let elements = (0..<500).map(run.object)
    for _ in 0..<max(1, run.options.operations / 1000) {
      let added = await run.race(4) { thread in
        let set = set.used(by: thread)
        var added = 0
        for element in elements where await set.insert(element).inserted { added += 1 }
        return added
      }
      run.expect(added.reduce(0, +), is: elements.count, "the number of insertions that added")
      run.expect(await set.count, is: elements.count, "the count afterwards")
      await set.removeAll()
    }
  }

  @Sendable private static func checkRacingNumbers(_ run: ContractRun, _ set: WeakSet) async {
    let insertions = max(50, run.options.operations / 20)
    let results = await run.race { thread in
      let set = set.used(by: thread)
      var mine: [(element: CountedObject, number: Int)] = []
      for number in 0..<insertions {
        let element = run.object(number)
        mine.append((element, await set.insert(element).entries))
      }
      return mine
    }
    run.expect(
      results.flatMap { $0 }.map(\.number).sorted(),
      is: Array(1...(ContractRun.threads * insertions)), "the numbers that all insertions return")
  }

  @Sendable private static func checkRacingRemovals(_ run: ContractRun, _ set: WeakSet) async {
    let elements = (0..<400).map(run.object)
    for element in elements { await set.insert(element) }
    let removed = await run.race { thread in
      let set = set.used(by: thread)
      var removed = 0
      for element in elements where await set.remove(element) { removed += 1 }
      return removed
    }
    run.expect(removed.reduce(0, +), is: 400, "the number of removals that found the object")
    run.expect(await set.entryCount, is: 0, "the number of entries afterwards")
  }

  /// Each thread inserts elements, and drops or removes some of them. The set must contain the
  /// elements that the thread holds, each once.
  @Sendable private static func checkConservation(_ run: ContractRun, _ set: WeakSet) async {
    let workers = await run.race { thread in
      var worker = WeakSetWorker(set: set.used(by: thread), run, thread: thread)
      for _ in 0..<run.options.operations { await worker.operate() }
      return worker
    }
    let kept = workers.flatMap { $0.held.map(\.number) }
    run.expect(await set.numbers, is: kept.sorted(), "the elements at rest")
    await set.compact()
    run.expect(await set.entryCount, is: kept.count, "the number of entries after compact at rest")
    run.expect(run.lifetimes.live, is: kept.count, "the number of live elements at rest")
    withExtendedLifetime(workers) {}
  }
}

private struct WeakSetWorker<Base: ConcurrentWeakSet & Sendable>: Sendable {
  let set: ObservedWeakSet<Base>
  let run: ContractRun
  var held: [CountedObject] = []
  private var next: Int
  private var generator: SplitMix64

  init(set: ObservedWeakSet<Base>, _ run: ContractRun, thread: Int) {
    self.set = set
    self.run = run
    next = thread << 32
    generator = run.generator(thread)
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
    let element = run.object(next)
    next += 1
    run.expect(await set.insert(element).inserted, is: true, "whether a new object is inserted")
    if held.count < 8 { held.append(element) }
  }

  private mutating func drop() {
    guard !held.isEmpty else { return }
    held.remove(at: Int.random(in: held.indices, using: &generator))
  }

  private mutating func remove() async {
    guard !held.isEmpty else { return }
    let element = held.remove(at: Int.random(in: held.indices, using: &generator))
    run.expect(await set.remove(element), is: true, "what remove returns for a held element")
    run.expect(await set.contains(element), is: false, "contains after the removal")
    run.expect(await set.remove(element), is: false, "what a second removal returns")
  }

  private func ask() async {
    for element in held {
      run.expect(await set.contains(element), is: true, "contains for a held element")
      run.expect(
        await set.insert(element).inserted, is: false, "whether a held element is inserted again")
    }
  }

  private func look() async {
    let all = await set.all
    let found = Set(all.map(ObjectIdentifier.init))
    run.expect(
      all.count, is: found.count, "the number of elements in a snapshot without duplicates")
    let missing = held.filter { !found.contains(ObjectIdentifier($0)) }
    run.expect(
      missing.isEmpty, "a snapshot has what a thread holds",
      found: "it lacks \(missing.map(\.number))")
  }
}
