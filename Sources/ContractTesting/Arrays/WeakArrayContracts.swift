import SeededRandom
import Threading
import WeakCollections

extension Contract where Subject: ConcurrentWeakArray {
  typealias WeakArray = ObservedWeakArray<Subject>

  /// The contracts of a weak array.
  public static var all: [Contract] {
    sequential + racing + conserving + synchronous
  }

  static func contract(
    _ name: String, _ check: @escaping @Sendable (ContractRun, WeakArray) async -> Void
  ) -> Contract {
    Contract(name, need: WeakItem<Subject.Element>.need) { run in
      await check(run, ObservedWeakArray(Subject(), run))
    }
  }

  private static var sequential: [Contract] {
    [
      contract("entries are in the order of appending, duplicates kept", checkOrder),
      contract("append returns the number of entries after it", checkNumbers),
      contract("an appended element dies with its last strong reference", checkWeakness),
      contract("a snapshot has the live elements, and no dead ones", checkSnapshots),
      contract("stored entries are at most 2 × live + 64", checkBound),
      contract("as many appends as there are dead entries remove them", checkSweep),
      contract("remove removes the earliest entry of the identical object", checkRemove),
      contract("contains finds only the identical object", checkContains),
      contract("removeAll removes every entry, and the array stays usable", checkRemoveAll),
      contract("compact removes exactly the dead entries", checkCompact),
      contract("forEach rethrows what its body throws, with its type", checkForEach),
    ]
  }

  @Sendable private static func checkOrder(_ run: ContractRun, _ array: WeakArray) async {
    let elements = (0..<100).map(run.object)
    for element in elements { await array.append(element) }
    for element in elements.reversed() { await array.append(element) }
    run.expect(await array.numbers, is: Array(0..<100) + (0..<100).reversed(), "the snapshot")
    run.expect(await array.base.isEmpty, is: false, "isEmpty with live elements")
    run.expect(await array.count, is: 200, "the count")
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkNumbers(_ run: ContractRun, _ array: WeakArray) async {
    var numbers: [Int] = []
    for number in 0..<20 { numbers.append(await array.append(run.object(number))) }
    // Dead entries count too: there are too few of them to require a compaction.
    run.expect(
      numbers.allSatisfy { $0 >= 1 }, "append returns at least 1", found: "it returned \(numbers)")
    run.expect(await array.entryCount, is: numbers.last, "the number of entries after an append")
    let kept = (0..<200).map(run.object)
    await array.removeAll()
    numbers = []
    for element in kept { numbers.append(await array.append(element)) }
    run.expect(numbers, is: Array(1...200), "what 200 appends return")
    withExtendedLifetime(kept) {}
  }

  @Sendable private static func checkWeakness(_ run: ContractRun, _ array: WeakArray) async {
    for number in 0..<50 {
      await array.append(run.object(number))
      run.expect(run.lifetimes.live, is: 0, "the number of live elements without a reference")
    }
    run.expect(await array.numbers, is: [], "the snapshot")
    run.expect(await array.count, is: 0, "the count")
    run.expect(await array.base.isEmpty, is: true, "isEmpty with only dead elements")
  }

  @Sendable private static func checkSnapshots(_ run: ContractRun, _ array: WeakArray) async {
    var generator = run.generator()
    var kept: [CountedObject] = []
    for number in 0..<500 {
      let element = run.object(number)
      await array.append(element)
      if Bool.random(using: &generator) { kept.append(element) }
    }
    run.expect(await array.numbers, is: kept.map(\.number), "the snapshot")
    run.expect(await array.count, is: kept.count, "the count")
  }

  @Sendable private static func checkBound(_ run: ContractRun, _ array: WeakArray) async {
    let kept = (0..<100).map(run.object)
    for element in kept { await array.append(element) }
    for number in 0..<2000 {
      let entries = await array.append(run.object(number))
      // The element of this append was alive when the entries were counted.
      let most = 2 * (kept.count + 1) + 64
      run.expect(
        entries <= most, "at most \(most) entries are stored for \(kept.count + 1) live elements",
        found: "\(entries)")
    }
    run.expect(await array.numbers, is: kept.map(\.number), "the snapshot")
    withExtendedLifetime(kept) {}
  }

  @Sendable private static func checkSweep(_ run: ContractRun, _ array: WeakArray) async {
    var many = (0..<3000).map(run.object)
    for element in many { await array.append(element) }
    many = []
    for number in 0..<(3000 + 64) { await array.append(run.object(number)) }
    let entries = await array.entryCount
    run.expect(
      entries <= 64 + 2, "at most 66 entries are stored when all elements are dead",
      found: "\(entries)")
  }

  @Sendable private static func checkRemove(_ run: ContractRun, _ array: WeakArray) async {
    let (one, two) = (run.object(1), run.object(2))
    for element in [one, two, one, two] { await array.append(element) }
    run.expect(await array.remove(two), is: true, "what remove returns for an entry")
    run.expect(await array.numbers, is: [1, 1, 2], "the snapshot after a removal")
    run.expect(await array.remove(two), is: true, "what remove returns for the second entry")
    run.expect(await array.remove(two), is: false, "what remove returns without an entry")
    run.expect(
      await array.remove(run.object(1)), is: false, "what remove returns for an equal object")
    run.expect(await array.numbers, is: [1, 1], "the snapshot after two removals")
    run.expect(await array.entryCount, is: 2, "the number of entries after two removals")
    withExtendedLifetime((one, two)) {}
  }

  @Sendable private static func checkContains(_ run: ContractRun, _ array: WeakArray) async {
    let (one, equal) = (run.object(1), run.object(1))
    await array.append(one)
    run.expect(await array.contains(one), is: true, "contains for an element")
    run.expect(await array.contains(equal), is: false, "contains for an equal object")
    await array.remove(one)
    run.expect(await array.contains(one), is: false, "contains after the removal")
  }

  @Sendable private static func checkRemoveAll(_ run: ContractRun, _ array: WeakArray) async {
    let elements = (0..<100).map(run.object)
    for element in elements { await array.append(element) }
    await array.removeAll()
    run.expect(await array.numbers, is: [], "the snapshot after removeAll")
    run.expect(await array.entryCount, is: 0, "the number of entries after removeAll")
    run.expect(await array.append(elements[7]), is: 1, "what the next append returns")
    run.expect(await array.numbers, is: [7], "the snapshot after the next append")
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkCompact(_ run: ContractRun, _ array: WeakArray) async {
    var elements: [CountedObject?] = (0..<60).map(run.object)
    for element in elements { await array.append(element!) }
    run.expect(await array.compact(), is: 0, "what compact returns without dead entries")
    for index in stride(from: 0, to: 60, by: 3) { elements[index] = nil }
    run.expect(await array.compact(), is: 20, "what compact returns with 20 dead entries")
    run.expect(await array.entryCount, is: 40, "the number of entries after compact")
    run.expect(await array.compact(), is: 0, "what a second compact returns")
    run.expect(
      await array.numbers, is: (0..<60).filter { !$0.isMultiple(of: 3) }, "the snapshot")
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkForEach(_ run: ContractRun, _ array: WeakArray) async {
    let elements = (0..<10).map(run.object)
    for element in elements { await array.append(element) }
    var visited: [Int] = []
    do throws(Stop) {
      try await array.forEach { element throws(Stop) in
        visited.append(element.number)
        if element.number == 3 { throw Stop(at: 3) }
      }
      run.breach("forEach rethrows what its body throws", found: "it threw nothing")
    } catch {
      run.expect(error, is: Stop(at: 3), "the error that forEach rethrows")
    }
    run.expect(visited, is: [0, 1, 2, 3], "the visited elements")
    withExtendedLifetime(elements) {}
  }
}
