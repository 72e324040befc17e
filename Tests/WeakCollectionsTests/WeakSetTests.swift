import SeededTesting
import Testing
import Threading
import WeakCollections

/// An object that is equal to others of its name.
final class Symbol: Hashable, Sendable {
  let name: Int
  init(_ name: Int) { self.name = name }
  static func == (one: Symbol, other: Symbol) -> Bool { one.name == other.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The sequential weak sets.
@Suite struct WeakSetTests {
  @Test func `an element is in it once, while it lives`() {
    var set = WeakSet<Symbol>()
    var symbol: Symbol? = Symbol(1)
    #expect(set.insert(symbol!).inserted)
    #expect(set.insert(symbol!).inserted == false)
    #expect(set.contains(symbol!))
    #expect(set.count == 1)
    #expect(set.all.map(\.name) == [1])
    symbol = nil
    #expect(set.all.isEmpty)
    #expect(set.isEmpty)
    #expect(set.entryCount == 1)
    #expect(set.compact() == 1)
    #expect(set.entryCount == 0)
  }

  @Test func `0.l by identity equal objects are two, by equality one`() {
    let (one, other) = (Symbol(1), Symbol(1))
    let identical: WeakSet = [one, other]
    #expect(identical.count == 2)
    var equal: WeakEqualitySet = [one, other]
    #expect(equal.count == 1)
    #expect(equal.contains(other))
    #expect(equal.insert(other).memberAfterInsert === one)
    #expect(equal.remove(other) == true)
    #expect(equal.remove(one) == false)
    #expect(equal.isEmpty)
    withExtendedLifetime((one, other)) {}
  }

  @Test func `a dead element is equal to nothing, and an equal one takes its place`() {
    var interner = WeakEqualitySet<Symbol>()
    var first: Symbol? = interner.insert(Symbol(7)).memberAfterInsert
    let again = interner.insert(Symbol(7)).memberAfterInsert
    #expect(again === first)
    #expect(again.name == 7)
    first = nil
    _ = consume again
    #expect(interner.contains(Symbol(7)) == false)
    let (inserted, member) = interner.insert(Symbol(7))
    #expect(inserted)
    #expect(interner.all.count == 1)
    withExtendedLifetime(member) {}
  }

  @Test func `a loop visits the living and keeps them alive meanwhile`() {
    let census = Census()
    var elements = (0..<20).map { Counted($0, in: census) }
    let set = WeakSet(elements)
    elements.removeLast(10)
    var visited: Set<Int> = []
    for element in set {
      elements = []
      #expect(census.live == 10)
      visited.insert(element.number)
    }
    #expect(visited == Set(0..<10))
    #expect(census.live == 0)
  }

  @Test func `a copy is a set of its own`() {
    let elements = (0..<10).map { Symbol($0) }
    var one = WeakSet(elements)
    let other = one
    one.remove(elements[3])
    #expect(one.count == 9)
    #expect(other.count == 10)
  }

  @Test func `protocol values are told apart by their object`() {
    let people = ["Ada", "Bob"].map { Person($0) }
    var set = WeakSet<any Named & Aged>(people)
    #expect(set.insert(people[0]).inserted == false)
    #expect(set.all.map(\.name).sorted() == ["Ada", "Bob"])
    #expect(set.remove(people[1]) == true)
    #expect(set.all.map(\.age) == [41])
    withExtendedLifetime(people) {}
  }

  @Test func `large instances, whose addresses come back, are not confused with the dead`() {
    var set = WeakSet<Large>()
    for _ in 0..<1000 {
      let large = Large()
      #expect(set.contains(large) == false)
      #expect(set.insert(large).inserted)
      #expect(set.count == 1)
    }
  }

  private final class Large {
    let words = InlineArray<512, Int>(repeating: 0)
  }

  /// No write touches the dead ones: only the sweep finds them.
  @Test(arguments: [1, 10, 100, 1000, 5000])
  func `dead entries leave within as many writes as there are entries, and one`(_ dead: Int) {
    let census = Census()
    let kept = (0..<500).map { Counted($0, in: census) }
    var set = WeakSet(kept)
    var dying = (0..<dead).map { Counted($0, in: census) }
    for element in dying { set.insert(element) }
    set.remove(kept[0])
    dying = []
    let most = set.entryCount
    var writes = 0
    while set.entryCount > 499 {
      set.insert(kept[1 + writes % 499])
      writes += 1
    }
    #expect(writes <= most + 1)
    #expect(set.count == 499)
  }

  @Test func `stored entries are at most twice the living and 64`() {
    let kept = (0..<100).map { Symbol($0) }
    var set = WeakSet(kept)
    for number in 0..<5000 {
      set.insert(Symbol(number))
      #expect(set.entryCount <= 2 * (kept.count + 1) + 64)
    }
    #expect(set.count == 100)
  }

  @Test(arguments: 0..<20)
  func `by identity it does what a model does`(_ round: Int) {
    check(round, WeakSet<Symbol>()) { $0 === $1 }
  }

  @Test(arguments: 0..<20)
  func `by equality it does what a model does`(_ round: Int) {
    check(round, WeakEqualitySet<Symbol>()) { $0 == $1 }
  }

  /// Random operations; the model holds strongly what lives.
  private func check<Keying: WeakKeying<Symbol>>(
    _ round: Int, _ empty: KeyedWeakSet<Keying>, areSame: (Symbol, Symbol) -> Bool
  ) {
    var generator = SeededGenerator(seed: TestOptions.seed &+ UInt64(round))
    var set = empty
    var members: [Symbol] = []
    var pool = (0..<40).map { Symbol($0 / 2) }
    for _ in 0..<2000 {
      let place = Int.random(in: pool.indices, using: &generator)
      let symbol = pool[place]
      let index = members.firstIndex { areSame($0, symbol) }
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<5:
        let (inserted, member) = set.insert(symbol)
        #expect(inserted == (index == nil))
        if inserted { members.append(symbol) }
        #expect(member === members[index ?? members.count - 1])
      case 5..<7:
        #expect(set.remove(symbol) == (index != nil))
        if let index { members.remove(at: index) }
      case 7..<9: #expect(set.contains(symbol) == (index != nil))
      case 9..<11:  // It dies, in the set or not; no other reference is left.
        members.removeAll { $0 === symbol }
        pool[place] = Symbol(Int.random(in: 0..<20, using: &generator))
      default:
        if Int.random(in: 0..<20, using: &generator) == 0 { set.compact() }
        #expect(Set(set.all.map(ObjectIdentifier.init)) == Set(members.map(ObjectIdentifier.init)))
      }
    }
    set.removeAll()
    #expect(set.isEmpty && set.entryCount == 0)
  }
}
