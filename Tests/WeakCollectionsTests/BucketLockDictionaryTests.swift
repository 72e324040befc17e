import EpochReclamation
import Primitives
import SeededTesting
import Testing
import Threading
@testable import WeakCollections

/// What the dictionary with locked buckets promises beyond the contract.
@Suite(.timeLimit(.minutes(10))) struct BucketLockDictionaryTests {
  @Test func `keys and values of classes are let go when they are removed`() async {
    let census = Census()
    await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      let dictionary = BucketLockDictionary<String, Counted>(domain: domain)
      for number in 0..<300 {
        dictionary.setValue(Counted(number, in: census), forKey: "key \(number)")
      }
      #expect(census.live == 300)
      for number in 0..<100 { dictionary.removeValue(forKey: "key \(number)") }
      for number in 100..<200 { dictionary.update("key \(number)") { $0 = nil } }
      for number in 200..<250 {
        dictionary.setValue(Counted(number, in: census), forKey: "key \(number)")
      }
      while domain.advance() > 0 {}
      #expect(census.live == 100)
      dictionary.removeAll()
      while domain.advance() > 0 {}
      #expect(census.live == 0 && dictionary.count == 0)
    }
  }

  @Test func `the table shrinks step by step after all keys were removed at once`() {
    let dictionary = BucketLockDictionary<Int, Int>(domain: EpochDomain(), leastSize: 1)
    for key in 0..<10_000 { dictionary.setValue(key, forKey: key) }
    dictionary.removeAll()
    #expect(dictionary.count == 0 && dictionary.snapshot.isEmpty)
    for _ in 0..<1000 { dictionary.setValue(1, forKey: 1) }
    #expect(dictionary.current.size <= 4)
    #expect(dictionary.snapshot == [1: 1])
  }

  @Test func `new keys again and again use slots again`() {
    let numbers = BucketLockDictionary<Int, Int>(domain: EpochDomain())
    for number in 0..<10_000 {
      numbers.setValue(number, forKey: number)
      numbers.removeValue(forKey: number - 3)
    }
    #expect(numbers.current.size == 4)
    #expect(numbers.snapshot.count == 3)
  }

  @Test func `while the body of an update waits, others read, write other keys and grow the table`()
    async
  {
    let dictionary = BucketLockDictionary<Int, Int>(domain: EpochDomain())
    dictionary.setValue(1, forKey: 0)
    await onOwnThread {
      let isInside = Gate()
      let mayEnd = Gate()
      let updater = OwnedThread {
        dictionary.update(0) { value in
          isInside.open()
          mayEnd.wait()
          value = dictionary.value(forKey: 0).map { $0 + 1 }
        }
      }
      isInside.wait()
      let taken = Self.bucket(of: 0, in: dictionary)
      let others = (1...1000).filter { Self.bucket(of: $0, in: dictionary) != taken }
      for key in others { dictionary.setValue(key, forKey: key) }
      #expect(others.allSatisfy { dictionary.value(forKey: $0) == $0 })
      #expect(dictionary.value(forKey: 0) == 1)
      // The writer of the key itself waits.
      let waiter = OwnedThread { dictionary.setValue(10, forKey: 0) }
      mayEnd.open()
      updater.join()
      waiter.join()
      #expect(dictionary.value(forKey: 0) == 10)
      #expect(dictionary.snapshot.count == others.count + 1)
      for key in others { dictionary.setValue(-key, forKey: key) }
      #expect(dictionary.current.size >= 256)
    }
  }

  private static func bucket(of key: Int, in dictionary: BucketLockDictionary<Int, Int>) -> Bucket {
    dictionary.current.probe(Fingerprint(key)).bucket
  }

  @Test func `eight threads that write one bucket wait and wake`() async {
    let dictionary = BucketLockDictionary<Int, Int>(domain: EpochDomain(), leastSize: 1)
    let rounds = TestOptions.operations(standard: 20_000)
    await onOwnThread {
      let threads = (0..<8).map { thread in
        OwnedThread {
          for round in 0..<rounds {
            dictionary.update(0) { $0 = ($0 ?? 0) + 1 }
            if round % 16 == thread { dictionary.update(1) { value in value = (value ?? 0) - 1 } }
          }
        }
      }
      for thread in threads { thread.join() }
    }
    #expect(dictionary.value(forKey: 0) == 8 * rounds)
    let turns = (0..<8).map { thread in (0..<rounds).count { $0 % 16 == thread } }
    #expect(dictionary.value(forKey: 1) == -turns.reduce(0, +))
  }
}
