import SeededTesting
import Testing
import Threading
import WeakCollections

/// What every dictionary with weak values that threads share promises: it is an exact interner.
@Suite(.timeLimit(.minutes(10))) struct WeakValueDictionaryContractTests {
  enum Subject: CaseIterable {
    case mutex, readWriteLock, adaptiveLock, barrierQueue, lockFree

    func make<Key: Hashable & Sendable, Value: Sendable>(
      from key: Key.Type = Key.self, to value: Value.Type = Value.self
    ) -> any ConcurrentWeakValueDictionary<Key, Value> & Sendable {
      switch self {
      case .mutex: MutexWeakValueDictionary<Key, Value>()
      case .readWriteLock: ReadWriteLockWeakValueDictionary<Key, Value>()
      case .adaptiveLock: AdaptiveLockWeakValueDictionary<Key, Value>()
      case .barrierQueue: BarrierQueueWeakValueDictionary<Key, Value>()
      case .lockFree: LockFreeWeakValueDictionary<Key, Value>()
      }
    }
  }

  @Test(arguments: Subject.allCases)
  func `a key whose value is dead is as none`(_ subject: Subject) {
    let census = Census()
    let images = subject.make(from: String.self, to: Counted.self)
    var image: Counted? = images.value(forKey: "a", orInsert: { Counted(1, in: census) })
    #expect(images.value(forKey: "a", orInsert: { Counted(2, in: census) }) === image)
    #expect(images.value(forKey: "a") === image)
    #expect(census.births == 1)
    image = nil
    #expect(census.live == 0)
    #expect(images.value(forKey: "a") == nil)
    #expect(images.count == 0 && images.entryCount == 1)
    let next = images.value(forKey: "a", orInsert: { Counted(3, in: census) })
    #expect(next.number == 3)
    #expect(images.entryCount == 1)
    #expect(images.removeValue(forKey: "a") === next)
    #expect(images.removeValue(forKey: "a") == nil)
    images.setValue(next, forKey: "b")
    #expect(images.all.map(\.key) == ["b"])
    images.removeAll()
    #expect(images.entryCount == 0)
  }

  @Test(arguments: Subject.allCases)
  func `all who hold a value for a key at once hold the same`(_ subject: Subject) async {
    let census = Census()
    let interner = subject.make(from: Int.self, to: Counted.self)
    let holders = Holders(keys: 8)
    let operations = TestOptions.operations(standard: 20_000)
    let wrong = await onOwnThreads(4) { thread in
      var generator = SeededGenerator(seed: TestOptions.seed &+ UInt64(thread))
      var wrong = 0
      for _ in 0..<operations {
        let key = Int.random(in: 0..<8, using: &generator)
        let value = interner.value(forKey: key, orInsert: { Counted(key, in: census) })
        if !holders.hold(value, for: key) || value.number != key { wrong += 1 }
        if interner.value(forKey: key) !== value { wrong += 1 }
        holders.letGo(value, of: key)
      }
      return wrong
    }
    #expect(wrong == [0, 0, 0, 0])
    #expect(interner.count == 0)
    #expect(census.live == 0)
  }

  /// Who holds a value for which key; says whether all hold the same.
  private final class Holders: Sendable {
    private let lock: MutexLock<[(value: Counted?, count: Int)]>

    init(keys: Int) { lock = MutexLock(Array(repeating: (nil, 0), count: keys)) }

    func hold(_ value: Counted, for key: Int) -> Bool {
      lock.write { holders in
        let isSame = holders[key].count == 0 || holders[key].value === value
        holders[key] = (value, holders[key].count + 1)
        return isSame
      }
    }

    func letGo(_ value: Counted, of key: Int) {
      lock.write { holders in
        holders[key].count -= 1
        if holders[key].count == 0 { holders[key].value = nil }
      }
    }
  }

  @Test(arguments: Subject.allCases)
  func `a dead entry leaves within as many writes as there are entries, and one`(
    _ subject: Subject
  ) {
    let census = Census()
    let images = subject.make(from: Int.self, to: Counted.self)
    let kept = (0..<100).map { Counted($0, in: census) }
    for value in kept { images.setValue(value, forKey: value.number) }
    for key in 100..<140 { images.setValue(Counted(key, in: census), forKey: key) }
    let most = images.entryCount
    var writes = 0
    while images.entryCount > 100, writes <= most + 1 {
      images.setValue(kept[writes % 100], forKey: writes % 100)
      writes += 1
    }
    #expect(writes <= most + 1)
    #expect(images.count == 100)
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: Subject.allCases)
  func `compact drops exactly the dead, and their keys`(_ subject: Subject) {
    let census = Census()
    let images = subject.make(from: Int.self, to: Counted.self)
    let kept = (0..<20).map { Counted($0, in: census) }
    for value in kept { images.setValue(value, forKey: value.number) }
    for key in 20..<30 { images.setValue(Counted(key, in: census), forKey: key) }
    let dead = images.entryCount - 20
    #expect(images.compact() == dead)
    #expect(images.entryCount == 20)
    #expect(images.all.map(\.key).sorted() == Array(0..<20))
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: Subject.allCases)
  func `makeValue and the deinit of a value may use the dictionary`(_ subject: Subject) async {
    let ends = Count()
    await onOwnThread {
      let images = subject.make(from: Int.self, to: Dying.self)
      for number in 0..<200 {
        let value = images.value(forKey: number) {
          images.removeValue(forKey: number + 1000)
          return Dying {
            _ = images.value(forKey: number) { Dying {} }
            images.compact()
            ends.add()
          }
        }
        withExtendedLifetime(value) {}
      }
      images.compact()
      #expect(images.entryCount == 0)
    }
    #expect(ends.total == 200)
  }
}
