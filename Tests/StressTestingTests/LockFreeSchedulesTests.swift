#if Interleaving
  import EpochReclamation
  import Interleaving
  import Primitives
  @testable import StressTesting
  import Testing
  import WeakCollections

  /// The real lock-free code on virtual threads: no schedule has a data race, uses what is
  /// reclaimed, leaks or returns what it must not.
  struct LockFreeSchedulesTests {
    @Test(arguments: ScheduleSearch.all)
    func `a node is kept while a pin can see it`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let register = Register(domain: EpochDomain(bagCapacity: 1))
        execution.thread("reader") { execution.require(register.value % 7 == 0) }
        execution.thread("writer") {
          register.value = 7
          register.value = 14
        }
        execution.thread("other") { register.domain.advance() }
        execution.runThreads()
        execution.require(register.value == 14, "the last value written is there")
      }
    }

    @Test(arguments: ScheduleSearch.all)
    func `what threads leave behind when they end is reclaimed`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let register = Register(domain: EpochDomain(bagCapacity: 2))
        execution.thread("first") { register.value = 7 }
        execution.thread("second") {
          register.value = 14
          register.value = 21
        }
        execution.thread("third") {
          execution.join(1)
          register.value = 28
        }
        execution.runThreads()
        while register.domain.advance() > 0 {}
        execution.require(register.domain.telemetry.backlog == 0, "nothing is kept at the end")
      }
    }

    @Test(arguments: ScheduleSearch.all)
    func `keys of one dictionary keep their values`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let dictionary = LockFreeDictionary<StressKey, Int>(domain: EpochDomain(bagCapacity: 1))
        // Two keys of one chain and one of another.
        let (mine, neighbour, other) = (StressKey(0), StressKey(1), StressKey(2))
        execution.thread("sets") {
          dictionary.setValue(1, forKey: mine)
          execution.require(dictionary.value(forKey: mine) == 1, "its own key has its value")
        }
        execution.thread("removes") {
          dictionary.setValue(2, forKey: neighbour)
          execution.require(dictionary.removeValue(forKey: neighbour) == 2)
        }
        execution.thread("inserts") {
          let value = dictionary.value(forKey: other) { 3 }
          execution.require(value == 3 && dictionary.value(forKey: other) == 3)
        }
        execution.runThreads()
        execution.require(dictionary.snapshot == [mine: 1, other: 3])
        execution.require(dictionary.count == 2)
      }
    }

    @Test(arguments: ScheduleSearch.all)
    func `no write is lost while a dictionary grows`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let dictionary = LockFreeDictionary<StressKey, Int>(domain: EpochDomain(bagCapacity: 2))
        for key in 0..<8 { dictionary.setValue(key, forKey: StressKey(2 * key)) }
        execution.thread("grows") { dictionary.setValue(8, forKey: StressKey(16)) }
        execution.thread("writes") {
          dictionary.setValue(70, forKey: StressKey(14))
          execution.require(dictionary.value(forKey: StressKey(14)) == 70)
        }
        execution.thread("removes") {
          execution.require(dictionary.removeValue(forKey: StressKey(0)) == 0)
        }
        execution.runThreads()
        execution.require(dictionary.value(forKey: StressKey(16)) == 8)
        execution.require(dictionary.value(forKey: StressKey(14)) == 70)
        execution.require(dictionary.count == 8 && dictionary.snapshot.count == 8)
      }
    }

    @Test(arguments: ScheduleSearch.all)
    func `no update is lost`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let dictionary = LockFreeDictionary<StressKey, Int>(domain: EpochDomain(bagCapacity: 1))
        let key = StressKey(0)
        for _ in 0..<2 {
          execution.thread("adds") { dictionary.update(key) { $0 = ($0 ?? 0) + 1 } }
        }
        execution.thread("reads") {
          let value = dictionary.value(forKey: key)
          execution.require(value == nil || value == 1 || value == 2)
        }
        execution.runThreads()
        execution.require(dictionary.value(forKey: key) == 2, "both updates are there")
      }
    }

    @Test(arguments: ScheduleSearch.all + ScheduleSearch.stopping)
    func `an array keeps what lives and its order`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let array = LockFreeWeakArray<Element>(domain: EpochDomain(bagCapacity: 1))
        let kept = (0..<3).map(Element.init)
        execution.thread("appends") {
          array.append(kept[0])
          array.append(kept[1])
        }
        execution.thread("appends and drops") {
          array.append(Element(number: 9))
          array.append(kept[2])
          array.compact()
        }
        execution.thread("reads") {
          let numbers = array.all.map(\.number).filter { $0 < 2 }
          execution.require(numbers == Array(0..<numbers.count), "in the order of appending")
        }
        withExtendedLifetime(kept) { execution.runThreads() }
      }
    }

    @Test(arguments: ScheduleSearch.all)
    func `no append is lost while others remove and compact`(_ search: ScheduleSearch) {
      search.expectNoFailure { execution in
        let array = LockFreeWeakArray<Element>(domain: EpochDomain(bagCapacity: 1))
        let kept = (0..<3).map(Element.init)
        array.append(kept[0])
        execution.thread("removes") { execution.require(array.remove(kept[0])) }
        execution.thread("compacts") { array.compact() }
        execution.thread("appends") {
          array.append(kept[1])
          array.append(kept[2])
        }
        execution.runThreads()
        withExtendedLifetime(kept) {
          execution.require(array.all.map(\.number) == [1, 2], "what was appended is there")
        }
      }
    }
  }

  final class Element: Sendable {
    let number: Int
    init(number: Int) { self.number = number }
  }
#endif
