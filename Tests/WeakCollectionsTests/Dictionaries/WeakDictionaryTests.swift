import SeededTesting
import Testing
import Threading
import WeakCollections

/// The sequential dictionaries that hold their keys or their values weakly.
@Suite struct WeakDictionaryTests {
  @Test func `a value of a dead key is not found, and compact releases it`() {
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

  @Test func `a dictionary by equality finds a value by any equal key`() {
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

  @Test func `writes release the values of dead keys, after at most one more write than entries`() {
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

  @Test func `no value is released during an iteration`() {
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

  @Test func `a value that refers to its key keeps both alive`() {
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

  @Test func `a key whose value is dead counts as absent`() {
    let lifetimes = LifetimeCounter()
    var images = WeakValueDictionary<String, Counted>()
    var image: Counted? = images.value(forKey: "a", orInsert: { Counted(1, in: lifetimes) })
    #expect(images.value(forKey: "a", orInsert: { Counted(2, in: lifetimes) }) === image)
    #expect(lifetimes.births == 1)
    #expect(images["a"] === image)
    image = nil
    #expect(images["a"] == nil)
    #expect(images.count == 0 && images.entryCount == 1)
    let next = images.value(forKey: "a", orInsert: { Counted(3, in: lifetimes) })
    #expect(next.number == 3)
    #expect(images.entryCount == 1)
    images["a"] = nil
    #expect(images.entryCount == 0)
    #expect(images.removeValue(forKey: "a") == nil)
  }

  @Test func `writes release the keys of dead values, after at most one more write than entries`() {
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

  /// A key that a `LifetimeCounter` counts.
  private final class Name: Hashable {
    let counted: Counted
    init(_ number: Int, in lifetimes: LifetimeCounter) { counted = Counted(number, in: lifetimes) }
    static func == (one: Name, other: Name) -> Bool { one.counted.number == other.counted.number }
    func hash(into hasher: inout Hasher) { hasher.combine(counted.number) }
  }

  @Test(arguments: 0..<20)
  func `the weak-key dictionary behaves like a model`(_ round: Int) {
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
  func `the weak-value dictionary behaves like a model`(_ round: Int) {
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
      case 7..<9: model[key] = nil  // The value dies.
      default:
        let pairs = images.all.map { ($0.key, $0.value.name) }
        #expect(Dictionary(uniqueKeysWithValues: pairs) == model.mapValues(\.name))
      }
    }
  }
}
