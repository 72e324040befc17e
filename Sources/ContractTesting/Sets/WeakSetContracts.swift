import SeededRandom
import Threading
import WeakCollections

extension Contract where Subject: ConcurrentWeakSet {
  typealias WeakSet = ObservedWeakSet<Subject>

  /// The contracts of a weak set.
  public static var all: [Contract] {
    sequential + racing + conserving + synchronous
  }

  static func contract(
    _ name: String, _ check: @escaping @Sendable (ContractRun, WeakSet) async -> Void
  ) -> Contract {
    Contract(name, need: WeakItem<Subject.Element>.need) { run in
      await check(run, ObservedWeakSet(Subject(), run))
    }
  }

  private static var sequential: [Contract] {
    [
      contract("an object is in the set once", checkUniqueness),
      contract("insert returns the number of entries after it", checkNumbers),
      contract("an inserted element dies with its last strong reference", checkWeakness),
      contract("a snapshot has the live elements, and no dead ones", checkSnapshots),
      contract("stored entries are at most 2 × live + 64", checkBound),
      contract(
        "a dead entry is removed within one write more than there are entries", checkSweep),
      contract("remove removes only the identical object", checkRemove),
      contract("removeAll removes every entry, and the set stays usable", checkRemoveAll),
      contract("compact removes exactly the dead entries", checkCompact),
      contract(
        "compact(atLeast:) removes at least as many dead entries as asked for", checkPartialCompact),
      contract("compact(atLeast:) finds a dead entry wherever it is", checkPlaceOfDeadEntry),
      contract("forEach rethrows what its body throws, with its type", checkForEach),
      contract("an object at the address of a dead one is not confused with it", checkAddresses),
    ]
  }

  @Sendable private static func checkUniqueness(_ run: ContractRun, _ set: WeakSet) async {
    let elements = (0..<100).map(run.object)
    for element in elements {
      run.expect(await set.insert(element).inserted, is: true, "whether a new object is inserted")
    }
    for element in elements {
      run.expect(
        await set.insert(element).inserted, is: false, "whether a present object is inserted")
    }
    run.expect(await set.numbers, is: Array(0..<100), "the snapshot")
    run.expect(await set.base.isEmpty, is: false, "isEmpty with live elements")
    run.expect(await set.count, is: 100, "the count")
    run.expect(await set.entryCount, is: 100, "the number of entries")
    for element in elements {
      run.expect(await set.contains(element), is: true, "contains for an element")
    }
    run.expect(await set.contains(run.object(1)), is: false, "contains for an equal object")
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkNumbers(_ run: ContractRun, _ set: WeakSet) async {
    let elements = (0..<200).map(run.object)
    for (index, element) in elements.enumerated() {
      run.expect(
        await set.insert(element).entries, is: index + 1, "the entries after insertion \(index + 1)"
      )
    }
    run.expect(
      await set.insert(elements[7]).entries, is: 200, "the entries after a second insertion")
    await set.remove(elements[7])
    run.expect(
      await set.insert(elements[7]).entries, is: 200, "the entries after a removal and an insertion"
    )
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkWeakness(_ run: ContractRun, _ set: WeakSet) async {
    for number in 0..<50 {
      await set.insert(run.object(number))
      run.expect(run.lifetimes.live, is: 0, "the number of live elements without a reference")
    }
    run.expect(await set.numbers, is: [], "the snapshot")
    run.expect(await set.count, is: 0, "the count")
    run.expect(await set.base.isEmpty, is: true, "isEmpty with only dead elements")
  }

  @Sendable private static func checkSnapshots(_ run: ContractRun, _ set: WeakSet) async {
    var generator = run.generator()
    var kept: [CountedObject] = []
    for number in 0..<500 {
      let element = run.object(number)
      await set.insert(element)
      if Bool.random(using: &generator) { kept.append(element) }
    }
    run.expect(await set.numbers, is: kept.map(\.number), "the snapshot")
    run.expect(await set.count, is: kept.count, "the count")
  }

  @Sendable private static func checkBound(_ run: ContractRun, _ set: WeakSet) async {
    let kept = (0..<100).map(run.object)
    for element in kept { await set.insert(element) }
    for number in 0..<2000 {
      let entries = await set.insert(run.object(number)).entries
      // The element of this insertion was alive when the entries were counted.
      let most = 2 * (kept.count + 1) + 64
      run.expect(
        entries <= most, "at most \(most) entries are stored for \(kept.count + 1) live elements",
        found: "\(entries)")
    }
    run.expect(await set.numbers, is: kept.map(\.number), "the snapshot")
    withExtendedLifetime(kept) {}
  }

  /// Only a sweep finds these dead entries: the writes touch only live elements.
  @Sendable private static func checkSweep(_ run: ContractRun, _ set: WeakSet) async {
    for dead in [1, 30, 300] {
      await set.removeAll()
      let kept = (0..<300).map(run.object)
      for element in kept { await set.insert(element) }
      var dying = (0..<dead).map(run.object)
      for element in dying { await set.insert(element) }
      dying = []
      let most = await set.entryCount
      var writes = 0
      while await set.entryCount > kept.count, writes <= most + 1 {
        await set.insert(kept[writes % kept.count])
        writes += 1
      }
      run.expect(
        writes <= most + 1, "\(dead) dead entries of \(most) leave within \(most + 1) writes",
        found: "some are still stored")
      run.expect(await set.count, is: kept.count, "the count afterwards")
    }
  }

  @Sendable private static func checkRemove(_ run: ContractRun, _ set: WeakSet) async {
    let (one, equal) = (run.object(1), run.object(1))
    await set.insert(one)
    run.expect(await set.remove(equal), is: false, "what remove returns for an equal object")
    run.expect(await set.contains(one), is: true, "contains for the element")
    run.expect(await set.remove(one), is: true, "what remove returns for the element")
    run.expect(await set.remove(one), is: false, "what a second removal returns")
    run.expect(await set.contains(one), is: false, "contains after the removal")
    run.expect(await set.entryCount, is: 0, "the number of entries after the removal")
    run.expect(await set.insert(one).inserted, is: true, "whether the object is inserted again")
    withExtendedLifetime((one, equal)) {}
  }

  @Sendable private static func checkRemoveAll(_ run: ContractRun, _ set: WeakSet) async {
    let elements = (0..<100).map(run.object)
    for element in elements { await set.insert(element) }
    await set.removeAll()
    run.expect(await set.numbers, is: [], "the snapshot after removeAll")
    run.expect(await set.entryCount, is: 0, "the number of entries after removeAll")
    run.expect(await set.insert(elements[7]).entries, is: 1, "the entries after the next insertion")
    run.expect(await set.numbers, is: [7], "the snapshot after the next insertion")
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkCompact(_ run: ContractRun, _ set: WeakSet) async {
    var elements: [CountedObject?] = (0..<60).map(run.object)
    for element in elements { await set.insert(element!) }
    run.expect(await set.compact(), is: 0, "what compact returns without dead entries")
    for index in stride(from: 0, to: 60, by: 3) { elements[index] = nil }
    run.expect(await set.compact(), is: 20, "what compact returns with 20 dead entries")
    run.expect(await set.entryCount, is: 40, "the number of entries after compact")
    run.expect(await set.compact(), is: 0, "what a second compact returns")
    run.expect(await set.numbers, is: (0..<60).filter { !$0.isMultiple(of: 3) }, "the snapshot")
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkPartialCompact(_ run: ContractRun, _ set: WeakSet) async {
    // There are so many elements that no single write removes all dead entries.
    let count = 400
    var elements: [CountedObject?] = (0..<count).map(run.object)
    for element in elements { await set.insert(element!) }
    run.expect(await set.compact(atLeast: 1), is: 0, "what compact returns without dead entries")
    for index in stride(from: 0, to: count, by: 2) { elements[index] = nil }
    let first = await set.compact(atLeast: 1)
    run.expect(
      (1...count / 2).contains(first), "compact(atLeast: 1) removes 1 to 200 of 200 dead entries",
      found: "\(first)")
    run.expect(await set.entryCount, is: count - first, "the number of entries afterwards")
    run.expect(
      await set.compact(atLeast: count), is: count / 2 - first,
      "what compact returns for a goal that it cannot reach")
    run.expect(await set.numbers, is: elements.compactMap { $0?.number }, "the snapshot")
    run.expect(await set.compact(atLeast: 1), is: 0, "what compact returns afterwards")
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkPlaceOfDeadEntry(_ run: ContractRun, _ set: WeakSet) async {
    var generator = run.generator()
    var elements = (0..<100).map(run.object)
    for element in elements { await set.insert(element) }
    for number in 100..<1100 {
      elements[Int.random(in: 0..<100, using: &generator)] = run.object(number)
      // A search that continues where an earlier one stopped must find entries that moved.
      if number.isMultiple(of: 3) {
        let moved = elements.remove(at: Int.random(in: 0..<99, using: &generator))
        await set.remove(moved)
        elements.insert(moved, at: 0)
      }
      for element in elements { await set.insert(element) }
      await set.compact(atLeast: 1)
      run.expect(
        await set.entryCount, is: 100, "the number of entries after round \(number - 100)")
    }
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkForEach(_ run: ContractRun, _ set: WeakSet) async {
    let elements = (0..<10).map(run.object)
    for element in elements { await set.insert(element) }
    var visited = 0
    do throws(Stop) {
      try await set.forEach { _ throws(Stop) in
        visited += 1
        if visited == 4 { throw Stop(at: 4) }
      }
      run.breach("forEach rethrows what its body throws", found: "it threw nothing")
    } catch {
      run.expect(error, is: Stop(at: 4), "the error that forEach rethrows")
    }
    run.expect(visited, is: 4, "the number of visited elements")
    withExtendedLifetime(elements) {}
  }

  @Sendable private static func checkAddresses(_ run: ContractRun, _ set: WeakSet) async {
    for number in 0..<300 {
      let element = run.object(number)
      run.expect(await set.contains(element), is: false, "contains for a new object")
      run.expect(await set.insert(element).inserted, is: true, "whether a new object is inserted")
      run.expect(await set.contains(element), is: true, "contains for an element")
      run.expect(await set.count, is: 1, "the count of live elements")
      withExtendedLifetime(element) {}
    }
  }
}
