import Interleaving
import Testing
import Threading
import WeakCollections

@testable import StressTesting

private typealias YourDictionary = StripedLockDictionary
private typealias YourWeakArray = MutexWeakArray
private typealias YourWeakSet = AdaptiveLockWeakSet

@Test func `your dictionary is linearizable`() async throws {
  try await stress(dictionary: { YourDictionary<StressKey, StressObject>() })
}

@Test func `your weak collections are linearizable`() async throws {
  try await stress(weakArray: { YourWeakArray<StressObject>() })
  try await stress(weakSet: { YourWeakSet<StressObject>() })
}

/// The tests of collections of other packages.
@Suite(.serialized) struct CollectionStressTests {
  private let searching = StressOptions.thorough(.threads)

  @Test func `collections of every kind pass on threads`() async throws {
    var options = StressOptions.short
    options.drivers = [.threads]
    let summaries = [
      try await stress(
        dictionary: { AdaptiveLockDictionary<StressKey, StressObject>() }, options: options),
      try await stress(
        dictionary: { ActorDictionary<StressKey, StressObject>() }, options: options),
      // Retires its memory to the shared domain, which the test drains.
      try await stress(
        dictionary: { LockFreeDictionary<StressKey, StressObject>() }, options: options),
      try await stress(weakArray: { ActorWeakArray<StressObject>() }, options: options),
      try await stress(weakSet: { ReadWriteLockWeakSet<StressObject>() }, options: options),
    ]
    for summary in summaries {
      #expect(summary.threadExecutions > 10)
      #expect(summary.scheduledExecutions == 0)
    }
  }

  @Test(arguments: BrokenDictionary.Defect.allCases)
  func `a defect of a dictionary is found, named and repeated`(
    _ defect: BrokenDictionary.Defect
  ) async throws {
    func failure(_ options: StressOptions) async -> StressFailure? {
      await StressTestingTests.failure(options) { options async throws(StressFailure) in
        try await stress(dictionary: { BrokenDictionary(defect) }, options: options)
      }
    }
    let found = try #require(await failure(searching))
    let kinds: [BrokenDictionary.Defect: Set<StressFailure.Kind>] = [
      .miscounting: [.wrongCount], .hoarding: [.notConserved],
      // A key that is left is read, or found by the last removal of all keys.
      .forgetful: [.notLinearizable, .notConserved],
    ]
    let expected = kinds[defect] ?? [.notLinearizable]
    #expect(expected.contains(found.kind))
    #expect(found.description.contains("CollectionStressTests.swift:"))
    #expect(found.description.contains("\n  thread 0"))
    var replaying = searching
    replaying.replay = found.replay
    #expect(expected.contains(try #require(await failure(replaying)).kind))
  }

  @Test func `a defect of a weak array is found`() async throws {
    let failure = await failure(searching) { options async throws(StressFailure) in
      try await stress(weakArray: { BrokenWeakArray(.strong) }, options: options)
    }
    #expect(failure?.kind == .notConserved)
  }

  @Test func `a dictionary whose calls wait for each other never returns`() async throws {
    var options = searching
    // The gate opens after the test, whenever the limit passes.
    options.callTimeLimit = .milliseconds(500)
    let gate = Gate()
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(dictionary: { WaitingDictionary(gate) }, options: options)
    }
    gate.open()
    #expect(failure?.kind == .neverReturned)
  }

  @Test func `the replay string of another kind of collection is refused`() async throws {
    var options = searching
    options.replay = "wc1.threads.weak-array.p0/p1.7"
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(dictionary: { BrokenDictionary() }, options: options)
    }
    #expect(failure?.kind == .unusableReplay)
    #expect(failure?.summary.contains("got one of a weak-array") ?? false)
  }

  @Test func `an actor is refused where schedules are required`() async throws {
    let options = StressOptions.thorough(.schedules)
    let failure = await failure(options) { options async throws(StressFailure) in
      try await stress(dictionary: { ActorDictionary<StressKey, StressObject>() }, options: options)
    }
    #expect(failure?.kind == .unavailable)
  }
}

#if Interleaving
  extension CollectionStressTests {
    @Test func `a controlled collection runs in schedules without being asked`() async throws {
      let summary = try await stress(
        dictionary: { MutexDictionary<StressKey, StressObject>() }, options: .short)
      #expect(summary.scheduledExecutions > 10)
    }

    @Test func `a race is found in a schedule, which repeats it`() async throws {
      func failure(_ options: StressOptions) async -> StressFailure? {
        await StressTestingTests.failure(options) { options async throws(StressFailure) in
          try await stress(dictionary: { BrokenDictionary(.checkThenAct) }, options: options)
        }
      }
      let found = try #require(await failure(.thorough(.schedules)))
      #expect(found.kind == .notLinearizable)
      #expect(found.description.contains("with 2 switches"))
      var replaying = StressOptions.thorough(.schedules)
      replaying.replay = found.replay
      #expect(await failure(replaying)?.summary == found.summary)
    }

    @Test func `a lock is not lock-free`() async throws {
      var options = StressOptions.thorough(.schedules)
      options.requiresLockFreedom = true
      let failure = await failure(options) { options async throws(StressFailure) in
        try await stress(
          dictionary: { MutexDictionary<StressKey, StressObject>() }, options: options)
      }
      #expect(failure?.kind == .notLockFree)
    }

    @Test func `a collection with real locks is refused, and runs on threads on request`()
      async throws
    {
      var options = StressOptions.short
      for drivers in [nil, [.schedules]] as [Set<StressOptions.Driver>?] {
        options.drivers = drivers
        let failure = await failure(options) { options async throws(StressFailure) in
          try await stress(dictionary: { RealLockDictionary() }, options: options)
        }
        #expect(failure?.kind == .uncontrolledSubject)
        #expect(failure?.summary.contains("options.drivers = [.threads]") ?? false)
      }
      options.drivers = [.threads]
      let summary = try await stress(
        dictionary: { RealLockDictionary() }, options: options)
      #expect(summary.threadExecutions > 10)
      #expect(summary.scheduledExecutions == 0)
    }
  }

  /// A dictionary behind a lock that the scheduler does not control.
  private final class RealLockDictionary: SynchronousDictionary, ConcurrentDictionary, Sendable {
    private let storage = Monitor<[StressKey: StressObject]>([:])

    func value(forKey key: StressKey) -> StressObject? { storage.read { $0[key] } }

    // Each closure returns what it removes, so that no `deinit` runs under the lock.

    func setValue(_ value: StressObject, forKey key: StressKey) {
      _ = storage.change { $0.updateValue(value, forKey: key) }
    }

    func removeValue(forKey key: StressKey) -> StressObject? {
      storage.change { $0.removeValue(forKey: key) }
    }

    func value<F: Error>(
      forKey key: StressKey, orInsert makeValue: () throws(F) -> StressObject
    ) throws(F) -> StressObject {
      if let value = value(forKey: key) { return value }
      let made = try makeValue()
      return storage.change { storage in
        if let winner = storage[key] { return winner }
        storage[key] = made
        return made
      }
    }

    func update<R, F: Error>(
      _ key: StressKey, _ body: (inout StressObject?) throws(F) -> R
    ) throws(F) -> R {
      var old: StressObject?
      let result = try storage.change { storage throws(F) in
        old = storage[key]
        return try body(&storage[key])
      }
      return withExtendedLifetime(old) { result }
    }

    var count: Int { storage.read { $0.count } }

    var snapshot: [StressKey: StressObject] { storage.read { $0 } }

    func removeAll() {
      _ = storage.change { storage in
        defer { storage = [:] }
        return storage
      }
    }
  }
#endif
