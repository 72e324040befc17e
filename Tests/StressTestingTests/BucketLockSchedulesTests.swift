#if Interleaving
  import EpochReclamation
  import Interleaving
  import Primitives
  @testable import StressTesting
  import Testing
  import WeakCollections

  /// The dictionary with locked buckets on virtual threads. At first it has one bucket.
  struct BucketLockSchedulesTests {
    private typealias Dictionary = BucketLockDictionary<StressKey, Int>

    private static func make(keys: Int = 0) -> Dictionary {
      let dictionary = Dictionary(domain: EpochDomain(bagCapacity: 1), leastSize: 1)
      for key in 0..<keys { dictionary.setValue(key, forKey: StressKey(key)) }
      return dictionary
    }

    @Test(arguments: ScheduleSearch.all)
    func `a reader never gets the value of another key`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let dictionary = Self.make(keys: 1)
        execution.thread("reads") {
          let value = dictionary.value(forKey: StressKey(0))
          execution.require(value == nil || value == 0)
        }
        execution.thread("reuses the slot") {
          execution.require(dictionary.removeValue(forKey: StressKey(0)) == 0)
          dictionary.setValue(1, forKey: StressKey(1))
        }
        execution.runThreads()
        execution.require(dictionary.snapshot == [StressKey(1): 1])
      }
    }

    @Test(arguments: ScheduleSearch.all)
    func `no write is lost while the table grows`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let dictionary = Self.make(keys: 3)
        execution.thread("grows") {
          dictionary.setValue(3, forKey: StressKey(3))
          dictionary.setValue(4, forKey: StressKey(4))
        }
        execution.thread("writes") {
          dictionary.setValue(10, forKey: StressKey(1))
          execution.require(dictionary.value(forKey: StressKey(1)) == 10)
        }
        execution.thread("removes") {
          execution.require(dictionary.removeValue(forKey: StressKey(0)) == 0)
          execution.require(dictionary.value(forKey: StressKey(0)) == nil)
        }
        execution.runThreads()
        let pairs = [1: 10, 2: 2, 3: 3, 4: 4].map { (StressKey($0), $1) }
        execution.require(dictionary.snapshot == Swift.Dictionary(uniqueKeysWithValues: pairs))
        execution.require(dictionary.count == 4)
      }
    }

    @Test(arguments: ScheduleSearch.all)
    func `no write is lost while the table shrinks`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let dictionary = Self.make(keys: 5)
        dictionary.removeAll()
        execution.thread("migrates") { dictionary.setValue(1, forKey: StressKey(1)) }
        execution.thread("writes") {
          dictionary.setValue(2, forKey: StressKey(2))
          execution.require(dictionary.value(forKey: StressKey(2)) == 2)
        }
        execution.thread("looks") {
          let all = dictionary.snapshot
          execution.require(all.allSatisfy { $0.number == $1 })
        }
        execution.runThreads()
        execution.require(dictionary.snapshot == [StressKey(1): 1, StressKey(2): 2])
      }
    }

    @Test(arguments: ScheduleSearch.all)
    func `a thread that waits for a bucket is woken`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let dictionary = Self.make()
        let key = StressKey(0)
        for _ in 0..<3 {
          execution.thread("adds") { dictionary.update(key) { $0 = ($0 ?? 0) + 1 } }
        }
        execution.runThreads()
        execution.require(dictionary.value(forKey: key) == 3, "an update is lost")
      }
    }
  }
#endif
