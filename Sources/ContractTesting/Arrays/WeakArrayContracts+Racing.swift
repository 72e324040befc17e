import SeededRandom
import Threading
import WeakCollections

// What a weak array promises to threads that use it concurrently.
extension Contract where Subject: ConcurrentWeakArray {
  static var racing: [Contract] {
    [
      contract("every holder of the array sees what one of them appends", checkVisibility),
      contract("no two appends return the same number while nothing leaves", checkRacingAppends),
      contract("each entry is removed once", checkRacingRemovals),
      contract("an object with two entries is counted twice or not at all") { run, array in
        await checkDeathOfPair(run) { await $0.count }
      },
      contract("both entries of an object are compacted or none is") { run, array in
        await checkDeathOfPair(run) { array in living + 2 - (await array.compact()) }
      },
    ]
  }

  static var conserving: [Contract] {
    [contract("a weak array conserves its elements", checkConservation)]
  }

  @Sendable private static func checkVisibility(_ run: ContractRun, _ array: WeakArray) async {
    _ = await run.race { thread in
      let array = array.used(by: thread)
      for number in 0..<max(25, run.options.operations / 40) {
        let element = run.object(thread << 32 + number)
        await array.append(element)
        let isInSnapshot = await array.all.contains { $0 === element }
        run.expect(isInSnapshot, is: true, "whether a snapshot has the element just appended")
        run.expect(
          await array.contains(element), is: true, "contains for the element just appended")
      }
    }
    run.expect(run.lifetimes.live, is: 0, "the number of live elements without a reference")
  }

  @Sendable private static func checkRacingAppends(_ run: ContractRun, _ array: WeakArray) async {
    let appends = max(50, run.options.operations / 20)
    let results = await run.race { thread in
      let array = array.used(by: thread)
      var mine: [(element: CountedObject, number: Int)] = []
      for number in 0..<appends {
        let element = run.object(number)
        mine.append((element, await array.append(element)))
      }
      return mine
    }
    let appended = results.flatMap { $0 }.sorted { $0.number < $1.number }
    run.expect(
      appended.map(\.number), is: Array(1...(ContractRun.threads * appends)),
      "the numbers that all appends return")
    // No entry has left, so each number is the position of its entry.
    let isInOrder = await array.all.elementsEqual(appended.map(\.element), by: ===)
    run.expect(isInOrder, is: true, "whether the snapshot is in the order of the numbers")
    for (thread, mine) in results.enumerated() {
      let numbers = mine.map(\.number)
      run.expect(
        numbers == numbers.sorted(), "the numbers of thread \(thread) ascend", found: "\(numbers)")
    }
  }

  @Sendable private static func checkRacingRemovals(_ run: ContractRun, _ array: WeakArray) async {
    let element = run.object(0)
    for _ in 0..<400 { await array.append(element) }
    let removed = await run.race { thread in
      let array = array.used(by: thread)
      var removed = 0
      for _ in 0..<100 where await array.remove(element) { removed += 1 }
      return removed
    }
    run.expect(removed.reduce(0, +), is: 400, "the number of removals that found an entry")
    run.expect(await array.entryCount, is: 0, "the number of entries afterwards")
  }

  private static var living: Int { 300 }

  /// Asks an array for its number of elements until the number falls, while another thread drops an
  /// object that has the first entry and the last one. Both entries must die in one step.
  private static func checkDeathOfPair(
    _ run: ContractRun, _ ask: @escaping @Sendable (WeakArray) async -> Int
  ) async {
    let others = (0..<living).map(run.object)
    for _ in 0..<30 {
      let array = ObservedWeakArray(Subject(), run)
      let pair = LastReference(to: run.object(-1))
      await pair.append(to: array)
      for element in others { await array.append(element) }
      await pair.append(to: array)
      let isAsking = Gate()
      _ = await run.race(2) { thread in
        if thread == 1 {
          isAsking.wait()
          return pair.drop()
        }
        let array = array.used(by: thread)
        var answer: Int
        var isLast: Bool
        repeat {
          isLast = pair.isDropped
          answer = await ask(array)
          isAsking.open()
        } while answer == living + 2 && !isLast
        run.expect(answer, is: living, "the number without an object that had two entries")
      }
    }
    withExtendedLifetime(others) {}
  }

  /// Each thread appends elements, and drops or removes some of them. Every snapshot must contain
  /// the elements that the thread holds, in its order. Dropped elements may be in it too, while a
  /// snapshot of another thread keeps them alive.
  @Sendable private static func checkConservation(_ run: ContractRun, _ array: WeakArray) async {
    let workers = await run.race { thread in
      var worker = WeakArrayWorker(array: array.used(by: thread), run, thread: thread)
      for _ in 0..<run.options.operations { await worker.operate() }
      return worker
    }
    let kept = workers.flatMap { $0.held.map(\.number) }
    run.expect(await array.numbers.sorted(), is: kept.sorted(), "the elements at rest")
    run.expect(run.lifetimes.live, is: kept.count, "the number of live elements at rest")
    withExtendedLifetime(workers) {}
  }
}

/// The only strong reference to an object.
private final class LastReference: Sendable {
  private let object: MutexLock<CountedObject?>
  private let dropped = MutexLock(false)

  init(to object: CountedObject) { self.object = MutexLock(object) }

  func append<Base>(to array: ObservedWeakArray<Base>) async {
    await array.append(object.write { $0! })
  }

  /// Whether the object has been released. Not merely whether `object` is nil: a thread may be
  /// suspended between that moment and the release.
  var isDropped: Bool { dropped.read { $0 } }

  func drop() {
    // The object is the closure's result, so that it dies outside the lock.
    _ = object.write { $0.take() }
    dropped.write { $0 = true }
  }
}

private struct WeakArrayWorker<Base: ConcurrentWeakArray & Sendable>: Sendable {
  let array: ObservedWeakArray<Base>
  let run: ContractRun
  var held: [CountedObject] = []
  private var next: Int
  private var generator: SplitMix64

  init(array: ObservedWeakArray<Base>, _ run: ContractRun, thread: Int) {
    self.array = array
    self.run = run
    next = thread << 32
    generator = run.generator(thread)
  }

  mutating func operate() async {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<50: await append()
    case 50..<75: drop()
    case 75..<90: await remove()
    case 90..<92: await array.compact()
    case 92..<95: await look()
    default:
      let entries = await array.entryCount
      run.expect(
        entries >= held.count, "there are at least \(held.count) entries, which one thread holds",
        found: "\(entries)")
    }
  }

  private mutating func append() async {
    let element = run.object(next)
    next += 1
    let entries = await array.append(element)
    run.expect(entries >= 1, "append returns at least 1", found: "\(entries)")
    if held.count < 8 { held.append(element) }
  }

  private mutating func drop() {
    guard !held.isEmpty else { return }
    held.remove(at: Int.random(in: held.indices, using: &generator))
  }

  private mutating func remove() async {
    guard !held.isEmpty else { return }
    let element = held.remove(at: Int.random(in: held.indices, using: &generator))
    run.expect(await array.remove(element), is: true, "what remove returns for a held element")
    run.expect(await array.contains(element), is: false, "contains after the removal")
  }

  private mutating func look() async {
    var expected = held[...]
    for element in await array.all where element === expected.first { expected.removeFirst() }
    run.expect(
      expected.isEmpty, "a snapshot has what a thread holds, in its order",
      found: "it lacks \(expected.map(\.number))")
  }
}
