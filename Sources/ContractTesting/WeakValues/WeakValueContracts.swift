import SeededRandom
import Threading
import WeakCollections

extension Contract where Subject: ConcurrentWeakValueDictionary, Subject.Key: ContractItem {
  typealias Interner = ObservedWeakValueDictionary<Subject>

  /// The contracts of a dictionary with weak values.
  public static var all: [Contract] {
    [
      contract("a key whose value is dead is absent", checkDeath),
      contract(
        "withValue keeps the value alive for its body, which may use the dictionary",
        checkBorrowing),
      contract(
        "all threads that hold a value for a key concurrently hold the same value",
        checkInterning),
      contract(
        "a dead entry is removed within one write more than there are entries", checkSweep),
      contract("compact removes exactly the dead entries, with their keys", checkCompact),
      contract("makeValue and the deinit of a value may use the dictionary", checkReentrancy),
    ]
  }

  private static func contract(
    _ name: String, _ check: @escaping @Sendable (ContractRun, Interner) async -> Void
  ) -> Contract {
    Contract(name, need: WeakItem<Subject.Value>.need) { run in
      await check(run, ObservedWeakValueDictionary(Subject(), run))
    }
  }

  @Sendable private static func checkDeath(_ run: ContractRun, _ images: Interner) {
    var image: CountedObject? = images.getOrInsert(1) { run.object(10) }
    let isSame = images.getOrInsert(1) { run.object(20) } === image
    run.expect(isSame, is: true, "whether get-or-insert returns the live value")
    run.expect(images[1] === image, is: true, "whether a lookup returns the live value")
    run.expect(run.lifetimes.births, is: 1, "the number of evaluated defaults")
    image = nil
    run.expect(run.lifetimes.live, is: 0, "the number of live values without a reference")
    run.expect(images[1]?.number, is: nil, "the value for the key of a dead value")
    run.expect(images.count, is: 0, "the count with a dead value")
    run.expect(images.isEmpty, is: true, "isEmpty with a dead value")
    run.expect(images.contains(1), is: false, "contains for the key of a dead value")
    run.expect(images.entryCount, is: 1, "the number of entries with a dead value")
    let next = images.getOrInsert(1) { run.object(30) }
    run.expect(next.number, is: 30, "what get-or-insert returns after the value's death")
    run.expect(images.entryCount, is: 1, "the number of entries after the insertion")
    run.expect(images.remove(1) === next, is: true, "whether removeValue returns the live value")
    run.expect(images.remove(1)?.number, is: nil, "what a second removal returns")
    images.set(2, to: next)
    run.expect(images.keys, is: [2], "the keys of all entries")
    run.expect(images.contains(2), is: true, "contains for the key of a live value")
    let other = run.object(40)
    run.expect(
      images.replace(2, with: other) === next, is: true, "whether updateValue returns the value")
    run.expect(images[2] === other, is: true, "whether updateValue replaces the value")
    run.expect(images.replace(3, with: next)?.number, is: nil, "updateValue for an absent key")
    images.removeAll()
    run.expect(images.entryCount, is: 0, "the number of entries after removeAll")
  }

  @Sendable private static func checkBorrowing(_ run: ContractRun, _ images: Interner) {
    var image: CountedObject? = run.object(10)
    images.set(1, to: image!)
    let inside = images.withValue(for: 1) { value in
      image = nil
      images.removeAll()
      return [value.number, run.lifetimes.live]
    }
    run.expect(inside, is: [10, 1], "the number and the live values inside withValue")
    run.expect(run.lifetimes.live, is: 0, "the number of live values after withValue")
    let absent = images.withValue(for: 1) { $0.number }
    run.expect(absent, is: nil, "withValue for an absent key")
    let other = run.object(20)
    images.set(2, to: other)
    do throws(Stop) {
      _ = try images.withValue(for: 2) { value throws(Stop) -> Int in throw Stop(at: value.number) }
      run.breach("withValue rethrows what its body throws", found: "it threw nothing")
    } catch {
      run.expect(error, is: Stop(at: 20), "the error that withValue rethrows")
    }
    run.expect(images[2] === other, is: true, "whether the value is present after withValue")
  }

  @Sendable private static func checkInterning(_ run: ContractRun, _ interner: Interner) async {
    let holders = Holders(keys: 8)
    _ = await run.race(4) { thread in
      let interner = interner.used(by: thread)
      var generator = run.generator(thread)
      for operation in 0..<run.options.operations * 2 {
        let key = Int.random(in: 0..<8, using: &generator)
        let value = interner.getOrInsert(key) {
          // Another thread inserts here, between the lookup and the insertion.
          OwnedThread.yieldProcessor()
          return run.object(key)
        }
        run.expect(
          holders.hold(value, for: key), is: true,
          "whether a thread gets the value that another thread holds for key \(key)")
        // Another thread may get a value for this key here, while this one holds its own.
        if operation.isMultiple(of: 4) { OwnedThread.yieldProcessor() }
        run.expect(value.number, is: key, "the number of the value for key \(key)")
        run.expect(interner[key] === value, is: true, "whether a lookup returns the held value")
        holders.release(value, of: key)
      }
    }
    run.expect(interner.count, is: 0, "the count when no thread holds a value")
    run.expect(run.lifetimes.live, is: 0, "the number of live values without a reference")
  }

  @Sendable private static func checkSweep(_ run: ContractRun, _ images: Interner) {
    let kept = (0..<100).map(run.object)
    for value in kept { images.set(value.number, to: value) }
    for key in 100..<140 { images.set(key, to: run.object(key)) }
    let most = images.entryCount
    var writes = 0
    while images.entryCount > 100, writes <= most + 1 {
      images.set(writes % 100, to: kept[writes % 100])
      writes += 1
    }
    run.expect(
      writes <= most + 1, "dead entries leave within \(most + 1) writes",
      found: "some are still stored")
    run.expect(images.count, is: 100, "the count afterwards")
    withExtendedLifetime(kept) {}
  }

  @Sendable private static func checkCompact(_ run: ContractRun, _ images: Interner) {
    let kept = (0..<20).map(run.object)
    for value in kept { images.set(value.number, to: value) }
    for key in 20..<30 { images.set(key, to: run.object(key)) }
    let dead = images.entryCount - 20
    run.expect(images.compact(), is: dead, "what compact returns with \(dead) dead entries")
    run.expect(images.entryCount, is: 20, "the number of entries after compact")
    run.expect(images.keys, is: Array(0..<20), "the keys after compact")
    withExtendedLifetime(kept) {}
  }

  @Sendable private static func checkReentrancy(_ run: ContractRun, _ images: Interner) {
    let ends = Counter()
    for number in 0..<200 {
      let value = images.getOrInsert(number) {
        images.remove(number + 1000)
        return CountedObject(number, in: run.lifetimes) {
          _ = images.getOrInsert(number) { run.object(number) }
          images.compact()
          ends.add()
        }
      }
      withExtendedLifetime(value) {}
    }
    images.compact()
    run.expect(images.entryCount, is: 0, "the number of entries after compact")
    run.expect(ends.total, is: 200, "the number of deinits that have ended")
  }
}

/// For each key, the value that threads hold and the number of threads that hold it.
private final class Holders: Sendable {
  private struct Holder {
    var value: CountedObject?
    var count = 0
  }

  private let lock: MutexLock<[Holder]>

  init(keys: Int) { lock = MutexLock(Array(repeating: Holder(), count: keys)) }

  /// Registers a holder; returns whether all holders of the key have the same value.
  func hold(_ value: CountedObject, for key: Int) -> Bool {
    lock.write { holders in
      let isSame = holders[key].count == 0 || holders[key].value === value
      holders[key] = Holder(value: value, count: holders[key].count + 1)
      return isSame
    }
  }

  func release(_ value: CountedObject, of key: Int) {
    lock.write { holders in
      holders[key].count -= 1
      if holders[key].count == 0 { holders[key].value = nil }
    }
  }
}
