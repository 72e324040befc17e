import SeededRandom
import Threading
import WeakCollections

// What a dictionary promises to threads that use it concurrently.
extension Contract
where Subject: ConcurrentDictionary, Subject.Key: ContractItem, Subject.Value: ContractItem {
  static var racing: [Contract] {
    [
      contract("updates by eight threads run once each and lose nothing", checkRacingUpdates),
      contract(
        "get-or-insert by eight threads has one winner, whom all get", checkRacingInsertions),
      contract(
        """
        a snapshot has what is present throughout, not what is absent throughout, and no key twice
        """, checkRacingSnapshots),
      contract("updateValue returns each replaced value to one thread", checkRacingReplacements),
      contract(
        "removeAll(where:) removes no value that its predicate refuses", checkRacingPredicate),
      contract("readers find every key while others make the table grow", checkRacingGrowth),
    ]
  }

  static var conserving: [Contract] {
    [
      Contract("a dictionary conserves its values") { run in
        await checkConservation(run)
        run.expectRelease("values after the end of the dictionary", downTo: 0) {
          run.lifetimes.live
        }
        run.expectRelease("keys after the end of the dictionary", downTo: 0) {
          run.keyLifetimes.live
        }
      }
    ]
  }

  @Sendable private static func checkRacingUpdates(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    let updates = max(3, run.options.operations / 4)
    let runs = Counter()
    _ = await run.race { thread in
      let dictionary = dictionary.used(by: thread)
      for number in 0..<updates {
        await dictionary.update(number % 3) { value in
          runs.add()
          // Another thread runs here if update reads and writes in two steps.
          if number.isMultiple(of: 8) { OwnedThread.yieldProcessor() }
          value = (value ?? 0) + 1
        }
      }
    }
    let snapshot = await dictionary.snapshot
    for key in 0..<3 {
      run.expect(
        snapshot[key], is: ContractRun.threads * ((updates - key + 2) / 3),
        "the sum of all updates of key \(key)")
    }
    run.expect(
      runs.total, is: ContractRun.threads * updates, "the number of times that bodies ran")
  }

  @Sendable private static func checkRacingInsertions(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    let keys = 0..<max(100, run.options.operations / 8)
    let gotten = await run.race { thread in
      let dictionary = dictionary.used(by: thread)
      var gotten: [Int] = []
      for key in keys {
        let value = await dictionary.getOrInsert(key) {
          // Another thread inserts here, between the lookup and the insertion.
          OwnedThread.yieldProcessor()
          return key * ContractRun.threads + thread
        }
        gotten.append(value)
      }
      return gotten
    }
    let winners = await dictionary.snapshot
    for key in keys {
      let values = Set(gotten.map { $0[key] })
      let winner = winners[key]
      run.expect(
        values.count == 1 && values.first == winner,
        "all threads get the value that key \(key) has afterwards",
        found: "they got \(values.sorted()); the dictionary has \(winner.map { "\($0)" } ?? "none")"
      )
    }
    run.expect(await dictionary.count, is: keys.count, "the count after the race")
    if Subject.Value.holdsObject {
      run.expectRelease("values after the race, without the losers", downTo: keys.count) {
        run.lifetimes.live
      }
    }
  }

  @Sendable private static func checkRacingReplacements(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    let replacements = max(100, run.options.operations / 8)
    let replaced = await run.race { thread in
      let dictionary = dictionary.used(by: thread)
      var replaced: [Int] = []
      for number in 0..<replacements {
        // Two keys, so that threads meet at each.
        let key = number % 2
        let value = number * ContractRun.threads + thread
        if let old = await dictionary.replace(key, with: value) { replaced.append(old) }
      }
      return replaced
    }
    let all = await replaced.flatMap { $0 } + dictionary.snapshot.values
    run.expect(
      all.count, is: ContractRun.threads * replacements, "the number of replaced and last values")
    run.expect(Set(all).count, is: all.count, "the number of distinct replaced and last values")
  }

  @Sendable private static func checkRacingPredicate(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    let writersThatEnded = Counter()
    _ = await run.race(2) { thread in
      let dictionary = dictionary.used(by: thread)
      if thread == 0 {
        for round in 0..<max(100, run.options.operations / 4) {
          await dictionary.set(1, to: 2 * round + 1)
          // The other thread may have accepted the odd value, and not removed it yet.
          if round.isMultiple(of: 8) { OwnedThread.yieldProcessor() }
          await dictionary.set(1, to: 2 * round)
          run.expect(
            await dictionary.remove(1), is: 2 * round, "an even value in round \(round)")
        }
        writersThatEnded.add()
      } else {
        while writersThatEnded.total == 0 {
          await dictionary.removeAll { _, value in !value.isMultiple(of: 2) }
        }
      }
    }
  }

  private static var present: Range<Int> { 0..<50 }

  @Sendable private static func checkRacingSnapshots(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    for key in present { await dictionary.set(key, to: key) }
    let rounds = max(10, run.options.operations / 25)
    // Each side continues until the other has done its rounds, so that the two overlap.
    let growths = Counter()
    let readersThatEnded = Counter()
    _ = await run.race(4) { thread in
      let dictionary = dictionary.used(by: thread)
      if thread == 0 {
        // Grows and shrinks the table between the snapshots.
        while readersThatEnded.total < 3 {
          for key in 100..<300 { await dictionary.set(key, to: key) }
          OwnedThread.yieldProcessor()
          for key in 100..<300 { await dictionary.remove(key) }
          growths.add()
        }
      } else {
        var round = 0
        while round < rounds || growths.total < rounds / 4 {
          await expectKeys(of: dictionary, usingForEach: round.isMultiple(of: 2), run)
          round += 1
        }
        readersThatEnded.add()
      }
    }
    run.expect(await dictionary.count, is: present.count, "the count after the race")
  }

  private static func expectKeys(
    of dictionary: Dictionary, usingForEach: Bool, _ run: ContractRun
  ) async {
    var seen: [Int: Int] = [:]
    if usingForEach {
      await dictionary.forEach { key, value in
        if seen.updateValue(value, forKey: key) != nil {
          run.breach("forEach visits each key once", found: "it visited key \(key) twice")
        }
      }
    } else {
      seen = await dictionary.snapshot
    }
    let missing = present.filter { seen[$0] != $0 }
    run.expect(
      missing.isEmpty, "a snapshot has the keys that are present throughout",
      found: "it lacks the keys \(missing)")
    let strange = seen.keys.filter { !present.contains($0) && !(100..<300).contains($0) }
    run.expect(
      strange.isEmpty, "a snapshot has no key that is absent throughout",
      found: "it has the keys \(strange)")
  }

  @Sendable private static func checkRacingGrowth(
    _ run: ContractRun, _ dictionary: Dictionary
  ) async {
    let kept = 0..<100
    for key in kept { await dictionary.set(key, to: key) }
    let writersThatEnded = Counter()
    _ = await run.race(4) { thread in
      let dictionary = dictionary.used(by: thread)
      if thread < 2 {
        for _ in 0..<max(2, run.options.operations / 1000) {
          let mine = (0..<2000).map { 100 + 2 * $0 + thread }
          for key in mine { await dictionary.set(key, to: key) }
          for key in mine {
            run.expect(await dictionary.remove(key), is: key, "the removed value of key \(key)")
          }
        }
        writersThatEnded.add()
      } else {
        while writersThatEnded.total < 2 {
          for key in kept {
            run.expect(await dictionary[key], is: key, "the value for key \(key)")
          }
          let values = await dictionary.values(for: Array(0..<4100))
          for (key, value) in values.enumerated() where value != key {
            run.expect(
              key >= kept.count && value == nil, "key \(key) has its value or none",
              found: "\(value.map(String.init) ?? "nil")")
          }
        }
      }
    }
    run.expect(await dictionary.count, is: kept.count, "the count after the race")
  }

  // MARK: - Conservation

  /// Each thread sums the values that it put in, less those that it took out. The sum over all
  /// threads must equal the sum of the values that are left.
  private static func checkConservation(_ run: ContractRun) async {
    let dictionary = NumberedDictionary(Subject(), run)
    let balances = await run.race { thread in
      var worker = DictionaryWorker(dictionary: dictionary.used(by: thread), run, thread: thread)
      for _ in 0..<run.options.operations { await worker.operate() }
      return worker.balance
    }
    let left = await dictionary.snapshot
    run.expect(
      left.values.reduce(0, +), is: balances.reduce(0, +),
      "the sum of all values is the sum of what was put in, less what was taken out; it")
    run.expect(await dictionary.count, is: left.count, "the count at rest")
    if Subject.Value.holdsObject {
      run.expectRelease("values at rest", downTo: left.count) { run.lifetimes.live }
    }
    await dictionary.removeAll()
    run.expect(await dictionary.count, is: 0, "the count after removeAll")
  }
}

private struct DictionaryWorker<Base: ConcurrentDictionary & Sendable>
where Base.Key: ContractItem, Base.Value: ContractItem {
  let dictionary: NumberedDictionary<Base>
  let run: ContractRun
  let thread: Int
  var balance = 0
  private var generator: SplitMix64
  private var ownValue: Int?
  private var next = 0

  init(dictionary: NumberedDictionary<Base>, _ run: ContractRun, thread: Int) {
    self.dictionary = dictionary
    self.run = run
    self.thread = thread
    generator = run.generator(thread)
  }

  private var ownKey: Int { 1_000_000 + thread }

  mutating func operate() async {
    // Usually few keys, so that threads meet; sometimes many, so that the table grows.
    let range = Int.random(in: 0..<64, using: &generator) == 0 ? 1000 : 32
    let key = Int.random(in: 0..<range, using: &generator)
    // The value is unique in the run.
    next += 1
    let value = next * ContractRun.threads + thread
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<30: await exchange(key, for: value)
    case 30..<50: balance -= await dictionary.remove(key) ?? 0
    case 50..<65: if await dictionary.getOrInsert(key, { value }) == value { balance += value }
    case 65..<75: await setOwn(value)
    case 75..<99: _ = await dictionary[key]
    default: expectOwn(await dictionary.snapshot[ownKey])
    }
  }

  private mutating func exchange(_ key: Int, for value: Int) async {
    let old = await dictionary.update(key) { present in
      defer { present = value }
      return present
    }
    balance += value - (old ?? 0)
  }

  private mutating func setOwn(_ value: Int) async {
    await dictionary.set(ownKey, to: value)
    balance += value - (ownValue ?? 0)
    ownValue = value
    expectOwn(await dictionary[ownKey])
  }

  private func expectOwn(_ found: Int?) {
    run.expect(found, is: ownValue, "the value that only thread \(thread) sets")
  }
}
