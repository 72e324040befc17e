import SeededTesting
import Testing
import Threading
import WeakCollections

/// The sequential dictionaries that hold their keys or their values weakly.
@Suite struct WeakDictionaryTests {
  @Test func `a value goes with its key`() {
    let lifetimes = LifetimeCounter()
    var sizes = WeakKeyDictionary<Symbol, Counted>()
    var key: Symbol? = Symbol(1)
    let other = Symbol(1)
    sizes[key!] = Counted(10, in: lifetimes)
    #expect(sizes[key!]?.number == 10)
    #expect(sizes[other] == nil)
    key = nil
    #expect(sizes.count == 0)
    #expect(lifetimes.live == 1)
    #expect(sizes.compact() == 1)
    #expect(lifetimes.live == 0)
  }

  @Test func `by equality any equal key finds the value`() {
    var sizes = WeakEqualityKeyDictionary<Symbol, Int>()
    let key = Symbol(1)
    sizes[key] = 1
    sizes[Symbol(1)] = 2
    #expect(sizes[key] == 2)
    #expect(sizes.all.map(\.key) == [key])
    #expect(sizes.all.first?.key === key)
    sizes[Symbol(2), default: 5] += 1
    #expect(sizes.count == 1)
    #expect(sizes.removeValue(forKey: Symbol(1)) == 2)
    #expect(sizes[key] == nil)
  }

  @Test func `values are let go by writes, within as many as there are entries and one`() {
    let lifetimes = LifetimeCounter()
    let kept = (0..<300).map { Symbol($0) }
    var sizes = WeakKeyDictionary<Symbol, Counted>()
    for key in kept { sizes[key] = Counted(in: lifetimes) }
    var dying = (0..<200).map { Symbol($0) }
    for key in dying { sizes[key] = Counted(in: lifetimes) }
    #expect(lifetimes.live == 500)
    dying = []
    var writes = 0
    while lifetimes.live > 300 {
      sizes[kept[writes % 300]] = sizes[kept[writes % 300]]
      writes += 1
    }
    #expect(writes <= 501)
    #expect(sizes.count == 300)
    sizes[kept[0]] = nil
    #expect(lifetimes.live == 299)
    sizes.removeAll()
    #expect(lifetimes.live == 0)
  }

  @Test func `no value is let go while something is iterated over`() {
    let lifetimes = LifetimeCounter()
    var keys = (0..<10).map { Symbol($0) }
    var sizes = WeakKeyDictionary<Symbol, Counted>()
    for key in keys { sizes[key] = Counted(key.name, in: lifetimes) }
    var visited: [Int] = []
    for (key, value) in sizes {
      keys = []
      #expect(lifetimes.live == 10)
      #expect(key.name == value.number)
      visited.append(value.number)
    }
    #expect(visited.sorted() == Array(0..<10))
    #expect(lifetimes.live == 10)
    #expect(sizes.compact() == 10)
    #expect(lifetimes.live == 0)
  }

  @Test func `a value that refers to its key keeps both`() {
    let lifetimes = LifetimeCounter()
    var holders = WeakKeyDictionary<Counted, [Counted]>()
    do {
      let key = Counted(in: lifetimes)
      holders[key] = [key]
    }
    holders.compact()
    #expect(lifetimes.live == 1)
    holders.removeAll()
    #expect(lifetimes.live == 0)
  }

  @Test func `a key whose value is dead is as none`() {
    let lifetimes = LifetimeCounter()
    var images = WeakValueDictionary<String, Counted>()
    var image: Counted? = images.value(forKey: "a", orInsert: Counted(1, in: lifetimes))
    #expect(images.value(forKey: "a", orInsert: Counted(2, in: lifetimes)) === image)
    #expect(lifetimes.births == 1)
    #expect(images["a"] === image)
    image = nil
    #expect(images["a"] == nil)
    #expect(images.count == 0 && images.entryCount == 1)
    let next = images.value(forKey: "a", orInsert: Counted(3, in: lifetimes))
    #expect(next.number == 3)
    #expect(images.entryCount == 1)
    images["a"] = nil
    #expect(images.entryCount == 0)
    #expect(images.removeValue(forKey: "a") == nil)
  }

  @Test func `keys of dead values are let go by writes, within as many as entries and one`() {
    let lifetimes = LifetimeCounter()
    let kept = (0..<100).map { Counted($0, in: lifetimes) }
    var images = WeakValueDictionary<Name, Counted>()
    for value in kept { images[Name(value.number, in: lifetimes)] = value }
    for number in 100..<150 {
      images[Name(number, in: lifetimes)] = Counted(number, in: lifetimes)
    }
    #expect(images.count == 100)
    let most = images.entryCount
    var writes = 0
    while images.entryCount > 100 {
      images[Name(writes % 100, in: lifetimes)] = kept[writes % 100]
      writes += 1
    }
    #expect(writes <= most + 1)
    #expect(lifetimes.live == 200)  // The values, and a key for each.
    #expect(images.map(\.value.number).sorted() == Array(0..<100))
  }

  /// A key that a lifetimes counts.
  private final class Name: Hashable {
    let counted: Counted
    init(_ number: Int, in lifetimes: LifetimeCounter) { counted = Counted(number, in: lifetimes) }
    static func == (one: Name, other: Name) -> Bool { one.counted.number == other.counted.number }
    func hash(into hasher: inout Hasher) { hasher.combine(counted.number) }
  }

  @Test(arguments: 0..<20)
  func `the weak-key dictionary does what a model does`(_ round: Int) {
    var generator = SeededGenerator(seed: TestOptions.seed &+ UInt64(round))
    var sizes = WeakKeyDictionary<Symbol, Int>()
    var model: [ObjectIdentifier: Int] = [:]
    var pool = (0..<50).map { Symbol($0) }
    for step in 0..<2000 {
      let place = Int.random(in: pool.indices, using: &generator)
      let key = pool[place]
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        #expect(sizes.updateValue(step, forKey: key) == model.updateValue(step, forKey: .init(key)))
      case 4..<5:
        #expect(sizes.removeValue(forKey: key) == model.removeValue(forKey: .init(key)))
      case 5..<7: #expect(sizes[key] == model[.init(key)])
      case 7..<9:
        model[.init(key)] = nil
        pool[place] = Symbol(step)
      default:
        let pairs = sizes.all.map { (ObjectIdentifier($0.key), $0.value) }
        #expect(Dictionary(uniqueKeysWithValues: pairs) == model)
      }
    }
  }

  @Test(arguments: 0..<20)
  func `the weak-value dictionary does what a model does`(_ round: Int) {
    var generator = SeededGenerator(seed: TestOptions.seed &+ UInt64(round))
    var images = WeakValueDictionary<Int, Symbol>()
    var model: [Int: Symbol] = [:]
    for step in 0..<2000 {
      let key = Int.random(in: 0..<50, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4:
        let value = Symbol(step)
        #expect(images.updateValue(value, forKey: key) === model.updateValue(value, forKey: key))
      case 4..<5: #expect(images.removeValue(forKey: key) === model.removeValue(forKey: key))
      case 5..<7: #expect(images[key] === model[key])
      case 7..<9: model[key] = nil  // It dies.
      default:
        let pairs = images.all.map { ($0.key, $0.value.name) }
        #expect(Dictionary(uniqueKeysWithValues: pairs) == model.mapValues(\.name))
      }
    }
  }
}

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
    let lifetimes = LifetimeCounter()
    let images = subject.make(from: String.self, to: Counted.self)
    var image: Counted? = images.value(forKey: "a", orInsert: { Counted(1, in: lifetimes) })
    #expect(images.value(forKey: "a", orInsert: { Counted(2, in: lifetimes) }) === image)
    #expect(images.value(forKey: "a") === image)
    #expect(lifetimes.births == 1)
    image = nil
    #expect(lifetimes.live == 0)
    #expect(images.value(forKey: "a") == nil)
    #expect(images.count == 0 && images.entryCount == 1)
    let next = images.value(forKey: "a", orInsert: { Counted(3, in: lifetimes) })
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
  func `withValue keeps the value alive for its body, which may use the dictionary`(
    _ subject: Subject
  ) throws {
    struct Refusal: Error {}
    let lifetimes = LifetimeCounter()
    let images = subject.make(from: String.self, to: Counted.self)
    var image: Counted? = Counted(1, in: lifetimes)
    images.setValue(image!, forKey: "a")
    let inside = images.withValue(forKey: "a") { value in
      image = nil
      images.removeAll()
      return (value.number, lifetimes.live)
    }
    #expect(try #require(inside) == (1, 1))
    #expect(lifetimes.live == 0)
    #expect(images.withValue(forKey: "a") { $0.number } == nil)
    let other = Counted(2, in: lifetimes)
    images.setValue(other, forKey: "b")
    #expect(throws: Refusal.self) {
      try images.withValue(forKey: "b") { _ throws(Refusal) in throw Refusal() }
    }
    #expect(images.value(forKey: "b") === other)
  }

  @Test(arguments: Subject.allCases)
  func `all who hold a value for a key at once hold the same`(_ subject: Subject) async {
    let lifetimes = LifetimeCounter()
    let interner = subject.make(from: Int.self, to: Counted.self)
    let holders = Holders(keys: 8)
    let operations = TestOptions.operations(standard: 20_000)
    let wrong = await onOwnThreads(4) { thread in
      var generator = SeededGenerator(seed: TestOptions.seed &+ UInt64(thread))
      var wrong = 0
      for _ in 0..<operations {
        let key = Int.random(in: 0..<8, using: &generator)
        let value = interner.value(forKey: key, orInsert: { Counted(key, in: lifetimes) })
        if !holders.hold(value, for: key) || value.number != key { wrong += 1 }
        if interner.value(forKey: key) !== value { wrong += 1 }
        holders.letGo(value, of: key)
      }
      return wrong
    }
    #expect(wrong == [0, 0, 0, 0])
    #expect(interner.count == 0)
    #expect(lifetimes.live == 0)
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
    let lifetimes = LifetimeCounter()
    let images = subject.make(from: Int.self, to: Counted.self)
    let kept = (0..<100).map { Counted($0, in: lifetimes) }
    for value in kept { images.setValue(value, forKey: value.number) }
    for key in 100..<140 { images.setValue(Counted(key, in: lifetimes), forKey: key) }
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
    let lifetimes = LifetimeCounter()
    let images = subject.make(from: Int.self, to: Counted.self)
    let kept = (0..<20).map { Counted($0, in: lifetimes) }
    for value in kept { images.setValue(value, forKey: value.number) }
    for key in 20..<30 { images.setValue(Counted(key, in: lifetimes), forKey: key) }
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
