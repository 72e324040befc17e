import Measurements
import Testing
import Threading
import WeakCollections
import Workloads

@testable import Benchmarking

/// Serialized, because the byte phase counts the whole process.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EntriesTests {
  /// Workloads that together have every operation of a dictionary.
  private static let workloads = ["exchange", "leak-monitor", "ycsb-e"]

  @Test(arguments: [EntryTypes.stringToInteger, .integerToObject, .stringToObject])
  func `every contestant passes trials with strings as keys and with objects as values`(
    _ types: EntryTypes
  ) async throws {
    for contestant in Contestant.all(for: .dictionary) {
      for name in Self.workloads {
        let workload = try Workload.named(name, for: .dictionary).on(types)
        guard contestant.supports(workload) else { continue }
        let trial = TrialSpecification.example(contestant, name, types: types)
        #expect(try await trial.run().throughput.operations > 0)
      }
    }
  }

  @Test func `a row has the types of keys and values, and the distribution of keys`() {
    let strings = TrialSpecification.example(
      types: .stringToInteger, keys: .zipfian(theta: 0.5)
    ).configuration
    #expect(strings.keyType == "String")
    #expect(strings.valueType == "Int")
    #expect(strings.keyDistribution == "zipfian:0.5")
    let objects = TrialSpecification.example(types: .integerToObject).configuration
    #expect(objects.keyType == "Int")
    #expect(objects.valueType == "class")
    #expect(objects.keyDistribution == "uniform")
  }

  @Test func `other languages' maps and the unshared dictionary support integers only`() throws {
    let workload = try Workload.named("read-only", for: .dictionary)
    for contestant in Contestant.all(for: .dictionary) where !contestant.isStandard {
      #expect(contestant.supports(workload))
      #expect(!contestant.supports(workload.on(.stringToInteger)))
      #expect(!contestant.supports(workload.on(.integerToObject)))
      #expect(!contestant.supports(workload.on(.stringToObject)))
    }
  }

  @Test func `a key determines its number, and a value determines its key`() {
    checkNumbers(IntegerEntries.self)
    checkNumbers(StringEntries.self)
    checkNumbers(ObjectEntries.self)
    checkNumbers(StringObjectEntries.self)
  }

  private func checkNumbers<E: DictionaryEntries>(_ type: E.Type) {
    let lifetimes = LifetimeCounter(workers: 2)
    let entries = E(range: 100, tally: lifetimes.tallies[0])
    let copy = entries.copy(for: lifetimes.tallies[1])
    #expect(Set((0..<100).map(entries.key)).count == 100)
    for number in 0..<100 {
      #expect(entries.number(of: entries.key(number)) == number)
      #expect(copy.key(number) == entries.key(number))
      let twice = copy.updated(entries.updated(entries.first(number)))
      #expect(KeyedValue.key(of: E.content(of: twice)) == number)
      #expect(KeyedValue.updates(in: E.content(of: twice)) == 2)
    }
  }

  @Test func `a trial of a dictionary that keeps objects alive fails`() async throws {
    let failure = await expectTrialFailure(
      .example(.mutexDictionary, "leak-monitor", types: .integerToObject)
    ) {
      DictionarySubject<ObjectEntries>(of: HoardingDictionary.self, $0)
    }
    #expect(try #require(failure).reason.contains("objects were created"))
    HoardingDictionary.hoard.write { $0 = [] }
  }

  @Test func `a trial of a dictionary that loses strings fails`() async {
    await expectTrialFailure(
      .example(.mutexDictionary, "ycsb-b", types: .stringToInteger)
    ) {
      DictionarySubject<StringEntries>(of: EmptyDictionary<String, Int>.self, $0)
    }
  }
}

extension Contestant {
  fileprivate static var mutexDictionary: Contestant { named("mutex", for: .dictionary)! }
}

/// A dictionary with a fault: it keeps the value of the latest update alive.
private final class HoardingDictionary: SynchronousDictionary, ConcurrentDictionary, Sendable {
  static let hoard = MutexLock<[KeyedObject]>([])
  private let dictionary = MutexDictionary<Int, KeyedObject>()

  func value(forKey key: Int) -> KeyedObject? { dictionary.value(forKey: key) }
  func setValue(_ value: KeyedObject, forKey key: Int) { dictionary.setValue(value, forKey: key) }
  func removeValue(forKey key: Int) -> KeyedObject? { dictionary.removeValue(forKey: key) }

  func value<F: Error>(
    forKey key: Int, orInsert makeValue: () throws(F) -> KeyedObject
  ) throws(F) -> KeyedObject {
    try dictionary.value(forKey: key, orInsert: makeValue)
  }

  func update<R, F: Error>(
    _ key: Int, _ body: (inout KeyedObject?) throws(F) -> R
  ) throws(F) -> R {
    let result = try dictionary.update(key, body)
    if let value = dictionary.value(forKey: key) { Self.hoard.write { $0 = [value] } }
    return result
  }

  var count: Int { dictionary.count }
  var snapshot: [Int: KeyedObject] { dictionary.snapshot }
  func removeAll() { dictionary.removeAll() }
}
