import ContractTesting
import Testing
import WeakCollections

/// A check that cannot fail shows nothing: each fault must be found, by the contract that names it.
@Suite(.timeLimit(.minutes(10))) struct FaultTests {
  /// Checks one contract with a type that breaks it, again and again until a breach is found: on a
  /// busy machine threads overlap less. Only the time limit of the suite ends a search in vain.
  private func breaches<Subject>(
    of name: String, in contracts: [Contract<Subject>],
    _ options: ContractOptions = ContractOptions(seed: 1, timeLimit: .seconds(540))
  ) async throws -> String {
    let contract = try #require(contracts.first { $0.name.hasPrefix(name) })
    var options = options
    var found = await contract.breaches(options)
    while found.isEmpty, !Task.isCancelled {
      options.seed += 1
      found = await contract.breaches(options)
    }
    #expect(found.allSatisfy { $0.contract == contract.name })
    return found.map(\.description).joined(separator: "\n")
  }

  @Test func `a check-then-act get-or-insert has two winners`() async throws {
    let found = try await breaches(
      of: "get-or-insert by eight threads",
      in: Contract<CheckThenActDictionary<Int, Int>>.all)
    #expect(found.contains("expected: all threads get the value that key"))
    #expect(found.contains("found:    they got ["))
  }

  @Test func `a value that is released under the lock does not return from its deinit`()
    async throws
  {
    var options = ContractOptions(seed: 1, timeLimit: .seconds(1))
    options.waitForTimeLimit = Deadlocks.ofReleases.wait
    let found = try await breaches(
      of: "the deinit of a value or key may use the dictionary when it is replaced",
      in: Contract<ReleasingUnderLockDictionary<Int, CountedObject>>.all, options)
    #expect(found.contains("expected: the check returns within 1.0 seconds"))
    #expect(
      found.contains(
        "it did not return, the first thread in an operation inside the deinit of the value or key")
    )
    #expect(found.contains("its threads still run"))
  }

  @Test func `a count that drifts is found`() async throws {
    let found = try await breaches(
      of: "a dictionary does what a standard one does",
      in: Contract<DriftingCountDictionary<Int, Int>>.all)
    #expect(found.contains("expected: the count after round"))
    #expect(found.contains("no further breach"))
  }

  @Test func `an update in two steps loses updates`() async throws {
    let found = try await breaches(
      of: "updates by eight threads", in: Contract<LosingUpdateDictionary<Int, Int>>.all)
    #expect(found.contains("expected: the sum of all updates of key"))
  }

  @Test func `an update that keeps what its body stored before it threw is found`() async throws {
    let found = try await breaches(
      of: "an update that throws", in: Contract<PartialUpdateDictionary<Int, Int>>.all)
    #expect(found.contains("the snapshot after updates that throw is [1: 10]"))
  }

  @Test func `a key that is visited twice is found, at rest and in a race`() async throws {
    let contracts = Contract<VisitingTwiceDictionary<Int, Int>>.all
    let atRest = try await breaches(of: "forEach visits each key once", in: contracts)
    #expect(atRest.contains("the visited values of key"))
    let inRace = try await breaches(of: "a snapshot has what is present", in: contracts)
    #expect(inRace.contains("forEach visits each key once"))
  }

  @Test func `a snapshot that skips keys during growth is found`() async throws {
    let found = try await breaches(
      of: "a snapshot has what is present",
      in: Contract<LosingWhileGrowingDictionary<Int, Int>>.all)
    #expect(found.contains("it lacks the keys ["))
  }

  @Test func `removed values that are kept are found`() async throws {
    let found = try await breaches(
      of: "values and keys are released", in: Contract<LeakingDictionary<Int, CountedObject>>.all)
    #expect(found.contains("values after 50 of 100 were removed: 50 still live"))
    #expect(found.contains("100 live: some are not released"))
  }

  @Test func `keys that are compared by their hashes alone are found`() async throws {
    let contracts = Contract<TrustingHashDictionary<CollidingKey, Int>>.all
    let found = try await breaches(of: "keys whose hashes collide", in: contracts)
    #expect(found.contains("expected: get-or-insert of key"))
  }

  @Test func `an array that keeps its elements alive is found`() async throws {
    let contracts = Contract<KeepingArray>.all
    let found = try await breaches(of: "an appended element dies", in: contracts)
    #expect(found.contains("the number of live elements without a reference is 0"))
    #expect(try await breaches(of: "stored entries", in: contracts).contains("at most 266 entries"))
  }

  @Test func `a set that confuses equal objects and inserts in two steps is found`() async throws {
    let contracts = Contract<ConfusingSet>.all
    #expect(try await breaches(of: "an object is in the set once", in: contracts).contains("equal"))
    #expect(
      try await breaches(of: "when threads insert one object", in: contracts)
        .contains("the number of insertions that added is 500"))
  }

  @Test func `an interner that inserts in two steps is found`() async throws {
    let found = try await breaches(
      of: "all threads that hold a value", in: Contract<RacingInterner>.all)
    #expect(found.contains("whether a thread gets the value that another thread holds"))
  }
}

/// What `checkContract(of:)` reports.
@Suite(.timeLimit(.minutes(10))) struct CheckContractTests {
  @Test func `a sound dictionary of objects keeps all contracts`() async throws {
    let report = try await checkContract(
      of: SoundDictionary<CountedObject, CountedObject>.self,
      options: ContractOptions(timeLimit: .seconds(540)))
    #expect(report.unchecked == [])
    #expect(report.checked.count == Contract<SoundDictionary<Int, Int>>.all.count)
  }

  @Test func `what integers cannot show is listed as not checked`() async throws {
    let report = try await checkContract(
      of: SoundDictionary<Int, Int>.self, options: ContractOptions(timeLimit: .seconds(540)))
    let needs = Set(report.unchecked.map(\.reason))
    #expect(
      needs == [
        "values that hold an object, such as CountedObject",
        "keys whose hashes can collide, such as CollidingKey or CountedObject",
      ])
    let all = Contract<SoundDictionary<Int, Int>>.all.map(\.name)
    #expect((report.checked + report.unchecked.map(\.contract)).sorted() == all.sorted())
    #expect(report.summary.contains("did not check \(report.unchecked.count): "))
    #expect(report.description.contains("    keys whose hashes collide are told apart"))
  }

  @Test func `an actor keeps the contracts that do not need synchronous operations`() async throws {
    let options = ContractOptions(operations: 500)
    let report = try await checkContract(
      of: SoundWeakArray<CountedObject>.self, options: options)
    #expect(
      Set(report.unchecked.map(\.reason)) == ["a synchronous type, because a deinit cannot await"])
    #expect(report.unchecked.count == 3)
    try await checkContract(
      of: SoundWeakArray<any AnyObject & Sendable>.self, options: options)
  }

  @Test func `weak sets and interners have contracts, too`() async throws {
    let options = ContractOptions(operations: 500)
    let set = MutexWeakSet<CountedObject>.self
    #expect(try await checkContract(of: set, options: options).unchecked == [])
    let interner = MutexWeakValueDictionary<String, CountedObject>.self
    #expect(try await checkContract(of: interner, options: options).unchecked == [])
  }

  @Test func `the error lists every breach with the seed and what was not checked`() async {
    let error = await #expect(throws: BrokenContract.self) {
      try await checkContract(
        of: PartialUpdateDictionary<Int, Int>.self, options: ContractOptions(seed: 7))
    }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("PartialUpdateDictionary<Int, Int> breaks 1 of "))
    #expect(text.contains("contracts (ContractOptions(seed: 7) repeats the random choices):"))
    #expect(text.contains("\nan update that throws changes nothing\n  expected: "))
    #expect(text.contains("; did not check "))
    #expect(error?.breaches.map(\.contract).first == "an update that throws changes nothing")
  }

  @Test func `a type with which nothing can be checked does not pass`() async {
    let error = await #expect(throws: BrokenContract.self) {
      try await checkContract(of: MutexWeakArray<Stranger>.self)
    }
    #expect(error?.description.contains("no contract was checked") == true)
    #expect(error?.description.contains("elements of the class CountedObject") == true)
  }

  @Test func `three checks that never return end the run`() async {
    var options = ContractOptions()
    options.waitForTimeLimit = Deadlocks.ofStuckDictionaries.wait
    let error = await #expect(throws: BrokenContract.self) {
      try await checkContract(of: StuckDictionary<Int, Int>.self, options: options)
    }
    let text = error?.description ?? ""
    #expect(error?.report.checked.count == 3)
    #expect(text.contains("it did not return, the first thread in setValue(_:forKey:) of 1"))
    #expect(text.contains("threads that the 3 checks that never returned still occupy"))
  }

  @Test func `equal seeds make equal choices`() async throws {
    let contract = try #require(
      Contract<DriftingCountDictionary<Int, Int>>.all.first { $0.name.contains("standard one") })
    let first = await contract.breaches(ContractOptions(seed: 3))
    #expect(await contract.breaches(ContractOptions(seed: 3)) == first)
    #expect(await contract.breaches(ContractOptions(seed: 4)) != first)
  }
}
