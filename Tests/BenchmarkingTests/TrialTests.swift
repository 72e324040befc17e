import Measurements
import SeededTesting
import Testing
import WeakCollections
import Workloads

@testable import Benchmarking

/// Serialized, because the byte phase counts the whole process.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TrialTests {
  /// Except in a full run, each contestant has every third of its workloads, beginning with another
  /// than the contestant before it.
  @Test(arguments: CollectionKind.allCases)
  func `every contestant passes a trial of every workload that it supports`(
    _ collection: CollectionKind
  ) async throws {
    for (place, contestant) in Contestant.all(for: collection).enumerated() {
      let subject = WorkloadSubject(rawValue: collection.rawValue)!
      let supported = Workload.standard(for: subject).filter(contestant.supports)
      for (number, workload) in supported.enumerated()
      where TestOptions.isFull || (number + place).isMultiple(of: 3) {
        let result = try await TrialSpecification.example(contestant, workload.name).run()
        #expect(result.throughput.operations > 0)
        #expect(result.throughput.nanosecondsPerOperation > 0)
        let hasBytes = AllocatorProbe.isAvailable && contestant.isShared
        // Of what is live, suites beside this one may have freed more than a collection takes.
        #expect((result.bytes.allocatedPerOperation != nil) == hasBytes)
        let isLockFree = contestant.name == Backend.lockFree.rawValue
        #expect((result.contention.casFailuresPerOperation != nil) == isLockFree)
        let hasEpochs = isLockFree || contestant.name == Backend.bucketLock.rawValue
        #expect((result.contention.reclamation.limboPeakEntries != nil) == hasEpochs)
      }
    }
  }

  @Test(arguments: ["lock-free", "actor", "published-queue", "ns-lock", "empty-loop"])
  func `workloads that are no part of the standard matrix pass too`(_ name: String) async throws {
    for collection in CollectionKind.allCases {
      let subject = WorkloadSubject(rawValue: collection.rawValue)!
      let others = Set(Workload.all(for: subject)).subtracting(Workload.standard(for: subject))
      guard let contestant = Contestant.named(name, for: collection) else { continue }
      for workload in others where contestant.supports(workload) {
        let result = try await TrialSpecification.example(contestant, workload.name).run()
        #expect(result.throughput.operations > 0)
      }
    }
  }

  @Test func `an array that loses an append is found when the object is removed again`() async {
    await expectFailure("re-register", for: .weakArray) {
      WeakArraySubject(of: LosingArray.self, $0)
    }
  }

  @Test(arguments: ["dead-ninety", "drop-storm", "iterate-dying"])
  func `an array that keeps its elements alive is found wherever they die`(
    _ workload: String
  ) async {
    await expectFailure(workload, for: .weakArray) { WeakArraySubject(of: StrongArray.self, $0) }
  }

  @Test func `a dictionary that loses an update is found by YCSB's read-modify-write`() async {
    await expectFailure("ycsb-f", for: .dictionary) {
      DictionarySubject<IntegerEntries>(of: LosingDictionary.self, $0)
    }
  }

  @Test func `an array that loses an append is no row`() async {
    await expectFailure("exchange", for: .weakArray) {
      WeakArraySubject(of: LosingArray.self, $0)
    }
  }

  @Test func `an array that keeps its elements alive is no row`() async {
    await expectFailure("churn", for: .weakArray) { WeakArraySubject(of: StrongArray.self, $0) }
  }

  @Test func `a dictionary that loses an update is no row`() async {
    await expectFailure("leak-monitor", for: .dictionary) {
      DictionarySubject<IntegerEntries>(of: LosingDictionary.self, $0)
    }
  }

  @Test(arguments: ["read-only", "read-heavy", "exchange", "rapid-grow", "get-or-insert"])
  func `a dictionary that drops what is set is no row`(_ workload: String) async {
    await expectFailure(workload, for: .dictionary) {
      DictionarySubject<IntegerEntries>(of: EmptyDictionary<Int, Int>.self, $0)
    }
  }

  private func expectFailure(
    _ workload: String, for collection: CollectionKind, _ makeSubject: @escaping SubjectFactory
  ) async {
    await expectTrialFailure(
      .example(.baseline(for: collection).asSubject, workload), makeSubject)
  }

  @Test(arguments: [Measurement.Pace.closed, Measurement.Pace(mode: .open)])
  func `a trial has the distributions of its latencies if its specification keeps them`(
    _ pace: Measurement.Pace
  ) async throws {
    var specification = TrialSpecification.example(.named("mutex", for: .dictionary)!)
    specification.pace = pace
    #expect(try await specification.run().distributions.isEmpty)
    specification.keepsDistributions = true
    let names = try await specification.run().distributions.map(\.name)
    #expect(names == (pace.mode == .open ? ["service", "intended"] : ["service"]))
  }

  @Test func `half of the keys are there while they turn over`() async throws {
    for name in [Backend.lockFree.rawValue, "unshared"] {
      let contestant = Contestant.named(name, for: .dictionary)!
      let result = try await TrialSpecification.example(contestant, "turnover-fifty").run()
      #expect(result.throughput.operations > 0)
    }
  }

  @Test(.enabled(if: !ForeignMap.available.isEmpty, "this build has no other languages' maps"))
  func `another language's map that loses a key is no row`() async {
    var specification = TrialSpecification.example(
      Contestant.named("tbb", for: .dictionary)!, "read-only")
    specification.entries = 64
    let input = WorkerInput.all(for: specification)[0]
    var subject = ForeignMapSubject(specification)
    subject.start()
    await subject.fill(32)
    let worker = ForeignMapWorker(
      ForeignMapHandle(.tbb, capacity: 64), input, specification.workload)
    var meter = Meter(times: 100)
    worker.operate(&meter)
    #expect(worker.findings.misses == 100)
    #expect(await subject.verify([worker.findings]) == "100 keys were not found")
  }

  @Test func `a failure names the contestant, the workload and the seed in one line`() {
    let failure = TrialFailure(specification: .example(), reason: "it broke")
    #expect(
      failure.description
        == "dictionary empty-loop read-heavy, 2 threads, 64 entries, seed 7: it broke")
  }
}

extension Contestant {
  /// A contestant that is verified, for a type that none of the real ones names.
  fileprivate var asSubject: Contestant {
    Contestant(
      kind: .subject, collection: collection, name: "broken", typeName: "Broken",
      design: .backend(.mutex))
  }
}

/// Forgets every hundredth append.
private final class LosingArray: SynchronousWeakArray, ConcurrentWeakArray, @unchecked Sendable {
  // @unchecked: `appends` is touched under the lock.
  private let array = MutexWeakArray<Member>()
  private let appends = MutexLock(0)

  func append(_ element: Member) -> Int {
    let number = appends.write { count in
      count += 1
      return count
    }
    return number.isMultiple(of: 100) ? array.entryCount : array.append(element)
  }

  var all: [Member] { array.all }
  var entryCount: Int { array.entryCount }
  func contains(_ element: Member) -> Bool { array.contains(element) }
  func remove(_ element: Member) -> Bool { array.remove(element) }
  func removeAll() { array.removeAll() }
  func compact() -> Int { array.compact() }
}

/// An array that is not weak.
final class StrongArray: SynchronousWeakArray, ConcurrentWeakArray, Sendable {
  private let elements = MutexLock<[Member]>([])

  func append(_ element: Member) -> Int {
    elements.write { elements in
      elements.append(element)
      return elements.count
    }
  }

  var all: [Member] { elements.read { $0 } }
  var entryCount: Int { elements.read { $0.count } }
  func contains(_ element: Member) -> Bool { all.contains { $0 === element } }
  func remove(_ element: Member) -> Bool { false }
  func removeAll() { elements.write { $0 = [] } }
  func compact() -> Int { 0 }
}

/// Updates by check-then-act, and now and then not at all.
final class LosingDictionary: SynchronousDictionary, ConcurrentDictionary, Sendable {
  private let dictionary = MutexDictionary<Int, Int>()

  func value(forKey key: Int) -> Int? { dictionary.value(forKey: key) }
  func setValue(_ value: Int, forKey key: Int) { dictionary.setValue(value, forKey: key) }
  func removeValue(forKey key: Int) -> Int? { dictionary.removeValue(forKey: key) }

  func value<F: Error>(
    forKey key: Int, orInsert makeValue: () throws(F) -> Int
  ) throws(F) -> Int {
    try dictionary.value(forKey: key, orInsert: makeValue)
  }

  func update<R, F: Error>(_ key: Int, _ body: (inout Int?) throws(F) -> R) throws(F) -> R {
    var value = dictionary.value(forKey: key)
    let result = try body(&value)
    if let value, !value.isMultiple(of: 50) { dictionary.setValue(value, forKey: key) }
    return result
  }

  var count: Int { dictionary.count }
  var snapshot: [Int: Int] { dictionary.snapshot }
  func removeAll() { dictionary.removeAll() }
}
