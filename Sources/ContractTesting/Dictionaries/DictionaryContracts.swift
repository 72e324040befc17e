import SeededRandom
import Threading
import WeakCollections

extension Contract
where Subject: ConcurrentDictionary, Subject.Key: ContractItem, Subject.Value: ContractItem {
  typealias Dictionary = NumberedDictionary<Subject>

  /// The contracts of a dictionary.
  public static var all: [Contract] {
    sequential + racing + conserving + synchronous
  }

  static func contract(
    _ name: String, need: ContractNeed? = nil, keysCollide: Bool = false,
    _ check: @escaping @Sendable (ContractRun, Dictionary) async -> Void
  ) -> Contract {
    Contract(name, need: need) { run in
      await check(run, NumberedDictionary(Subject(), run, keysCollide: keysCollide))
    }
  }

  static var needOfCountedValues: ContractNeed? {
    Subject.Value.holdsObject ? nil : .countedValues
  }

  private static var sequential: [Contract] {
    [
      contract("values are set, found, replaced and removed", checkBasics),
      contract("a dictionary does what a standard one does", checkAgainstModel),
      contract(
        "keys whose hashes collide are told apart",
        need: Subject.Key.canCollide ? nil : .collidingKeys, keysCollide: true, checkAgainstModel),
      contract("forEach visits each key once and rethrows what its body throws", checkForEach),
      contract("update changes or removes a value, and returns what its body returns", checkUpdate),
      contract("an update that throws changes nothing", checkUpdateThatThrows),
      contract(
        "get-or-insert does not evaluate its default for a present key", checkPresentDefault),
      contract("a default that throws inserts nothing", checkDefaultThatThrows),
      contract("isEmpty, contains, keys and updateValue agree with the snapshot", checkViews),
      contract(
        "removeAll(where:) removes what its predicate accepts, and rethrows", checkPredicate),
      contract(
        "withValue borrows a value, returns nil for an absent key, and rethrows", checkBorrowing),
      contract("the values for many keys are in the order of the keys", checkManyKeys),
      Contract(
        "values and keys are released when they are replaced or removed, and with the dictionary",
        need: needOfCountedValues, checkRelease),
    ]
  }

  @Sendable private static func checkBasics(_ run: ContractRun, _ dictionary: Dictionary) async {
    run.expect(await dictionary[1], is: nil, "the value for an absent key")
    run.expect(await dictionary.count, is: 0, "the count of a new dictionary")
    await dictionary.set(1, to: 10)
    await dictionary.set(2, to: 20)
    await dictionary.set(1, to: 30)
    run.expect(await dictionary[1], is: 30, "a replaced value")
    run.expect(await dictionary.count, is: 2, "the count after two keys, one of them replaced")
    run.expect(await dictionary.snapshot, is: [1: 30, 2: 20], "the snapshot")
    run.expect(await dictionary.remove(1), is: 30, "the removed value")
    run.expect(await dictionary.remove(1), is: nil, "a second removal")
    run.expect(await dictionary.snapshot, is: [2: 20], "the snapshot after the removal")
    await dictionary.removeAll()
    run.expect(await dictionary.count, is: 0, "the count after removeAll")
    run.expect(await dictionary.snapshot, is: [:], "the snapshot after removeAll")
  }

  /// Applies the same random operations to the dictionary and to a standard one. Both grow to
  /// hundreds of keys and shrink.
  @Sendable private static func checkAgainstModel(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    var generator = run.generator()
    var model: [Int: Int] = [:]
    for round in 0..<4000 {
      let isGrowing = round / 1000 % 2 == 0
      let key = Int.random(in: 0..<600, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4 where isGrowing:
        await dictionary.set(key, to: round)
        model[key] = round
      case 0..<6:
        run.expect(
          await dictionary.remove(key), is: model.removeValue(forKey: key),
          "what removeValue returns for key \(key) in round \(round)")
      case 6:
        let value = await dictionary.getOrInsert(key) { round }
        run.expect(
          value, is: model[key, default: round], "get-or-insert of key \(key) in round \(round)")
        model[key] = value
      case 7:
        await dictionary.update(key) { $0 = ($0 ?? 0) + 1 }
        model[key, default: 0] += 1
      case 8:
        await dictionary.update(key) { $0 = nil }
        model[key] = nil
      default:
        run.expect(
          await dictionary[key], is: model[key], "the value for key \(key) in round \(round)")
      }
      run.expect(await dictionary.count, is: model.count, "the count after round \(round)")
    }
    run.expect(await dictionary.snapshot, is: model, "the snapshot at the end")
    await dictionary.removeAll()
    run.expect(await dictionary.count, is: 0, "the count after removeAll")
  }

  @Sendable private static func checkForEach(_ run: ContractRun, _ dictionary: Dictionary) async {
    let keys = 0..<100
    for key in keys { await dictionary.set(key, to: key + 1000) }
    var visits: [Int: [Int]] = [:]
    await dictionary.forEach { key, value in visits[key, default: []].append(value) }
    for key in keys {
      run.expect(visits[key] ?? [], is: [key + 1000], "the visited values of key \(key)")
    }
    run.expect(visits.count, is: keys.count, "the number of visited keys")
    var count = 0
    do throws(Stop) {
      try await dictionary.forEach { _, _ throws(Stop) in
        count += 1
        throw Stop(at: count)
      }
      run.breach("forEach rethrows what its body throws", found: "it threw nothing")
    } catch {
      run.expect(error, is: Stop(at: 1), "the error that forEach rethrows")
    }
    run.expect(count, is: 1, "the number of visits until the body throws")
  }

  @Sendable private static func checkUpdate(_ run: ContractRun, _ dictionary: Dictionary) async {
    let wasAbsent = await dictionary.update(1) { value in
      defer { value = 10 }
      return value == nil
    }
    run.expect(wasAbsent, is: true, "whether update receives nil for an absent key")
    let old = await dictionary.update(1) { value in
      defer { value? += 1 }
      return value
    }
    run.expect(old, is: 10, "the value that update receives")
    run.expect(await dictionary[1], is: 11, "the value after two updates")
    await dictionary.update(1) { $0 = nil }
    run.expect(await dictionary[1], is: nil, "the value after an update to nil")
    await dictionary.update(1) { $0 = nil }
    run.expect(await dictionary.count, is: 0, "the count after updates to nil")
  }

  @Sendable private static func checkUpdateThatThrows(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    await dictionary.set(1, to: 10)
    for key in [1, 2] {
      do throws(Stop) {
        try await dictionary.update(key) { value throws(Stop) in
          value = 20
          throw Stop(at: key)
        }
        run.breach("update rethrows what its body throws", found: "it threw nothing")
      } catch {
        run.expect(error, is: Stop(at: key), "the error that update rethrows")
      }
    }
    run.expect(await dictionary.snapshot, is: [1: 10], "the snapshot after updates that throw")
    run.expect(await dictionary.count, is: 1, "the count after updates that throw")
    await dictionary.set(2, to: 30)
    run.expect(await dictionary.snapshot, is: [1: 10, 2: 30], "the snapshot after a later write")
  }

  @Sendable private static func checkPresentDefault(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    await dictionary.set(1, to: 10)
    let value = await dictionary.getOrInsert(1) {
      run.breach("the default is not evaluated", found: "it was")
      return 20
    }
    run.expect(value, is: 10, "what get-or-insert returns for a present key")
  }

  @Sendable private static func checkDefaultThatThrows(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    do throws(Stop) {
      let value = try await dictionary.getOrInsert(1) { () throws(Stop) in throw Stop(at: 1) }
      run.breach("get-or-insert rethrows what its default throws", found: "it returned \(value)")
    } catch {
      run.expect(error, is: Stop(at: 1), "the error that get-or-insert rethrows")
    }
    run.expect(await dictionary.snapshot, is: [:], "the snapshot after a default that threw")
    run.expect(await dictionary.getOrInsert(1) { 10 }, is: 10, "the next get-or-insert")
  }

  @Sendable private static func checkViews(_ run: ContractRun, _ dictionary: Dictionary) async {
    run.expect(await dictionary.isEmpty, is: true, "isEmpty of a new dictionary")
    run.expect(await dictionary.replace(1, with: 10), is: nil, "updateValue for an absent key")
    run.expect(await dictionary.replace(1, with: 20), is: 10, "updateValue for a present key")
    run.expect(await dictionary[1], is: 20, "the value after updateValue")
    run.expect(await dictionary.isEmpty, is: false, "isEmpty of a dictionary with a key")
    run.expect(await dictionary.contains(1), is: true, "contains for a present key")
    run.expect(await dictionary.contains(2), is: false, "contains for an absent key")
    await dictionary.set(2, to: 30)
    run.expect(await dictionary.keys, is: [1, 2], "the keys")
  }

  @Sendable private static func checkPredicate(_ run: ContractRun, _ dictionary: Dictionary) async {
    for key in 0..<100 { await dictionary.set(key, to: key + 1000) }
    let removed = await dictionary.removeAll { key, value in (key + value).isMultiple(of: 4) }
    run.expect(removed, is: 50, "how many keys removeAll(where:) removed")
    run.expect(
      await dictionary.keys, is: (0..<100).filter { !$0.isMultiple(of: 2) },
      "the keys after removeAll(where:)")
    do throws(Stop) {
      let removed = try await dictionary.removeAll { key, _ throws(Stop) in throw Stop(at: 0) }
      run.breach(
        "removeAll(where:) rethrows what its predicate throws", found: "it returned \(removed)")
    } catch {
      run.expect(error, is: Stop(at: 0), "the error that removeAll(where:) rethrows")
    }
    run.expect(await dictionary.count, is: 50, "the count after a predicate that threw")
  }

  @Sendable private static func checkBorrowing(_ run: ContractRun, _ dictionary: Dictionary) async {
    await dictionary.set(1, to: 10)
    run.expect(await dictionary.withValue(for: 1) { $0 + 1 }, is: 11, "the result of withValue")
    run.expect(await dictionary.withValue(for: 2) { $0 }, is: nil, "withValue for an absent key")
    do throws(Stop) {
      let result = try await dictionary.withValue(for: 1) { value throws(Stop) -> Int in
        throw Stop(at: value)
      }
      run.breach("withValue rethrows what its body throws", found: "it returned \(result ?? 0)")
    } catch {
      run.expect(error, is: Stop(at: 10), "the error that withValue rethrows")
    }
    run.expect(await dictionary[1], is: 10, "the value after withValue")
  }

  @Sendable private static func checkManyKeys(_ run: ContractRun, _ dictionary: Dictionary) async {
    for count in [0, 1, 15, 16, 17, 1000] {
      await dictionary.removeAll()
      for key in 0..<count where key % 3 != 0 { await dictionary.set(key, to: key + 1000) }
      let keys = (0..<count).reversed() + [1, 1]
      run.expect(
        await dictionary.values(for: keys),
        is: keys.map { $0 % 3 == 0 || $0 >= count ? nil : $0 + 1000 },
        "what values(forKeys:) returns for \(keys.count) keys")
    }
  }

  @Sendable private static func checkRelease(_ run: ContractRun) async {
    do {
      let dictionary = NumberedDictionary(Subject(), run)
      for key in 0..<100 { await dictionary.set(key, to: key) }
      for key in 0..<100 { await dictionary.set(key, to: key + 1000) }
      run.expectRelease("values after 100 of 200 were replaced", downTo: 100) { run.lifetimes.live }
      for key in 0..<50 { await dictionary.remove(key) }
      run.expectRelease("values after 50 of 100 were removed", downTo: 50) { run.lifetimes.live }
      for key in 50..<60 { await dictionary.update(key) { $0 = nil } }
      run.expectRelease("values after 10 updates to nil", downTo: 40) { run.lifetimes.live }
      await dictionary.removeAll()
      run.expectRelease("values after removeAll", downTo: 0) { run.lifetimes.live }
      for key in 0..<100 { await dictionary.set(key, to: key) }
    }
    run.expectRelease("values after the end of the dictionary", downTo: 0) { run.lifetimes.live }
    run.expectRelease("keys after the end of the dictionary", downTo: 0) { run.keyLifetimes.live }
  }
}

/// An error that a body throws.
struct Stop: Error, Equatable {
  let at: Int
}
